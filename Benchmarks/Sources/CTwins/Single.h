#include "CTwins.h"
#include "Finish.h"

/* Gets the integer in the only row of a query. */
static inline int single(sqlite3 *connection, const char *sql, int64_t *value) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(statement);
  if (code == SQLITE_ROW) {
    *value = sqlite3_column_int64(statement, 0);
    code = sqlite3_step(statement);
  }
  return finish(statement, code);
}
