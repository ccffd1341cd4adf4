#include "CTwins.h"
#include "Finish.h"

/* Workloads 6 and 6b: reads a row by key with one reused statement. */
int twin_point_query(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT label FROM sample WHERE id = ?", -1, &statement, NULL);
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    int64_t key = i * 7919 % count + 1;
    if ((code = sqlite3_bind_int64(statement, 1, key)) != SQLITE_OK) break;
    if ((code = sqlite3_step(statement)) != SQLITE_ROW) break;
    const unsigned char *label = sqlite3_column_text(statement, 0);
    if (label == NULL) {
      code = SQLITE_NOMEM;
      break;
    }
    sum += key * sqlite3_column_bytes(statement, 0);
    code = sqlite3_reset(statement);
  }
  *checksum = sum;
  return finish(statement, code);
}
