#include <stdlib.h>
#include <string.h>

#include "CTwins.h"
#include "Finish.h"

static int64_t ends(const uint8_t *bytes, int count) {
  return count == 0 ? 0 : count + bytes[0] + bytes[count - 1];
}

/* Workload 7: copies each blob into allocated memory. */
int twin_blob_copied(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT pixels FROM photo", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const void *pixels = sqlite3_column_blob(statement, 0);
    int size = sqlite3_column_bytes(statement, 0);
    uint8_t *copy = malloc(size == 0 ? 1 : (size_t)size);
    if (copy == NULL || (pixels == NULL && size > 0)) {
      free(copy);
      code = SQLITE_NOMEM;
      break;
    }
    if (size > 0) memcpy(copy, pixels, (size_t)size);
    sum += ends(copy, size);
    free(copy);
  }
  *checksum = sum;
  return finish(statement, code);
}

/* Workload 7, borrowed: reads each blob in place. */
int twin_blob_in_place(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT pixels FROM photo", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const uint8_t *pixels = sqlite3_column_blob(statement, 0);
    int size = sqlite3_column_bytes(statement, 0);
    if (pixels == NULL && size > 0) {
      code = SQLITE_NOMEM;
      break;
    }
    sum += ends(pixels, size);
  }
  *checksum = sum;
  return finish(statement, code);
}
