#include <sqlite3.h>
#include <string.h>

// Opens a file, reads one row and ends; with a second argument, creates the table first.
int main(int count, char *arguments[]) {
  if (count < 2) return 2;
  const char *table = "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT); INSERT INTO book VALUES (1, 'Middlemarch')";
  sqlite3 *connection = NULL;
  sqlite3_stmt *statement = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int is_right = sqlite3_open_v2(arguments[1], &connection, flags, NULL) == SQLITE_OK &&
                 sqlite3_exec(connection, "PRAGMA foreign_keys = 1", NULL, NULL, NULL) == SQLITE_OK &&
                 (count == 2 || sqlite3_exec(connection, table, NULL, NULL, NULL) == SQLITE_OK) &&
                 sqlite3_prepare_v2(connection, "SELECT title FROM book WHERE id = ?", -1, &statement, NULL) == SQLITE_OK &&
                 sqlite3_bind_int64(statement, 1, 1) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW &&
                 strcmp((const char *)sqlite3_column_text(statement, 0), "Middlemarch") == 0;
  sqlite3_finalize(statement);
  return sqlite3_close(connection) == SQLITE_OK && is_right ? 0 : 1;
}
