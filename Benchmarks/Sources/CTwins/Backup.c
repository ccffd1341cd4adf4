#include "CTwins.h"

/* Workload 14: copies the database "source" in one step to a new file, whose name is the source's name plus "-c". */
int twin_backup(sqlite3 *connection, int64_t count, int64_t *checksum) {
  char *path = sqlite3_mprintf("%s-c", sqlite3_db_filename(connection, "source"));
  if (path == NULL) return SQLITE_NOMEM;
  sqlite3 *target = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite3_open_v2(path, &target, flags, NULL);
  sqlite3_free(path);
  if (code == SQLITE_OK) {
    sqlite3_backup *backup = sqlite3_backup_init(target, "main", connection, "source");
    if (backup == NULL) {
      code = sqlite3_extended_errcode(target);
    } else {
      code = sqlite3_backup_step(backup, -1);
      *checksum = sqlite3_backup_pagecount(backup);
      int end = sqlite3_backup_finish(backup);
      code = code == SQLITE_DONE ? end : code;
    }
  }
  int end = sqlite3_close(target);
  return code == SQLITE_OK ? end : code;
}
