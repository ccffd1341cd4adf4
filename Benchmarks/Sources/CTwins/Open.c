#include "Single.h"

/* Workload 25: opens the file of the database "source", reads a value, and closes the connection. */
int twin_opened(sqlite3 *connection, int64_t count, int64_t *checksum) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = SQLITE_OK;
  int64_t sum = 0;
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    sqlite3 *opened = NULL;
    int64_t value = 0;
    code = sqlite3_open_v2(sqlite3_db_filename(connection, "source"), &opened, flags, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(opened, "PRAGMA foreign_keys = 1", NULL, NULL, NULL);
    if (code == SQLITE_OK) code = single(opened, "SELECT value FROM sample", &value);
    int end = sqlite3_close(opened);
    if (code == SQLITE_OK) code = end;
    sum += value;
  }
  *checksum = sum;
  return code;
}
