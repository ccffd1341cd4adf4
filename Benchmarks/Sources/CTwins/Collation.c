#include <string.h>

#include "CTwins.h"
#include "Finish.h"

static int compare(void *context, int first_count, const void *first, int second_count, const void *second) {
  int common = first_count < second_count ? first_count : second_count;
  int order = common == 0 ? 0 : memcmp(first, second, (size_t)common);
  return order != 0 ? order : first_count - second_count;
}

/* Workload 9: reads rows in the order of a collation in C. */
int twin_collation(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  uint64_t sum = 0;
  int code = sqlite3_create_collation_v2(connection, "own", SQLITE_UTF8, NULL, compare, NULL);
  if (code != SQLITE_OK) return code;
  code = sqlite3_prepare_v2(connection, "SELECT id FROM sample ORDER BY label COLLATE own", -1, &statement,
                            NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    sum = sum * 31 + (uint64_t)sqlite3_column_int64(statement, 0);
  }
  *checksum = (int64_t)sum;
  return finish(statement, code);
}
