#include <sqlite3.h>

/* Finalizes a statement, and turns the code of its last step into success or an error. */
static inline int finish(sqlite3_stmt *statement, int code) {
  int end = sqlite3_finalize(statement);
  if (code != SQLITE_DONE && code != SQLITE_OK) return code;
  return end;
}
