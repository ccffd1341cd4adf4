#include "Bits.h"
#include "CTwins.h"
#include "Finish.h"

/* Workloads 2, 2L and 3: reads the columns of each row in place, by index. The C API cannot read columns by name. */
int twin_fetch(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  uint64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT id, value, label FROM sample", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    int64_t id = sqlite3_column_int64(statement, 0);
    double value = sqlite3_column_double(statement, 1);
    const unsigned char *label = sqlite3_column_text(statement, 2);
    if (label == NULL) {
      code = SQLITE_NOMEM;
      break;
    }
    sum += (uint64_t)id + bits(value) + (uint64_t)sqlite3_column_bytes(statement, 2);
  }
  *checksum = (int64_t)sum;
  return finish(statement, code);
}
