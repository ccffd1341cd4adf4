#include <sqlite3.h>
#include <stdio.h>

/* Workload 13: a process with an almost empty database, which runs until the end of its input. */
int main(void) {
  sqlite3 *connection = NULL;
  const char *sql =
      "CREATE TABLE person(name TEXT); INSERT INTO person VALUES ('Ada'); SELECT name FROM person";
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &connection, flags, NULL) != SQLITE_OK ||
      sqlite3_exec(connection, sql, NULL, NULL, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(connection));
    sqlite3_close(connection);
    return 1;
  }
  puts("ready");
  fflush(stdout);
  getchar();
  return sqlite3_close(connection) == SQLITE_OK ? 0 : 1;
}
