#include <stdio.h>
#include <string.h>

#include "CTwins.h"
#include "Finish.h"

enum { CAPACITY = 1 << 16, ROW = 4096 };

typedef struct {
  char bytes[CAPACITY + ROW];
  size_t size;
} Buffer;

static void append(Buffer *buffer, const char *bytes, size_t count) {
  memcpy(buffer->bytes + buffer->size, bytes, count);
  buffer->size += count;
}

/* Appends text, in quotes if it contains a separator, a quote or a line break. */
static int append_text(Buffer *buffer, const char *text, size_t count) {
  if (2 * count + 2 > ROW / 2) return SQLITE_TOOBIG;
  if (count > 0 && strcspn(text, ",\"\r\n") == count) {
    append(buffer, text, count);
    return SQLITE_OK;
  }
  append(buffer, "\"", 1);
  for (size_t index = 0; index < count; index++) {
    if (text[index] == '"') append(buffer, "\"", 1);
    append(buffer, text + index, 1);
  }
  append(buffer, "\"", 1);
  return SQLITE_OK;
}

static int append_row(Buffer *buffer, sqlite3_stmt *query) {
  char number[64];
  int count = snprintf(number, sizeof number, "%lld,", (long long)sqlite3_column_int64(query, 0));
  append(buffer, number, (size_t)count);
  sqlite3_snprintf(sizeof number, number, "%!.15g,", sqlite3_column_double(query, 1));
  append(buffer, number, strlen(number));
  const char *text = (const char *)sqlite3_column_text(query, 2);
  if (text == NULL) return SQLITE_NOMEM;
  int code = append_text(buffer, text, (size_t)sqlite3_column_bytes(query, 2));
  append(buffer, "\n", 1);
  return code;
}

/* Workload 23: writes all rows as comma-separated values to a buffer, and adds up the bytes. */
int twin_export(sqlite3 *connection, int64_t count, int64_t *checksum) {
  static Buffer buffer;
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(connection, "SELECT id, value, label FROM sample", -1, &query, NULL);
  if (code != SQLITE_OK) return code;
  buffer.size = 0;
  *checksum = 0;
  while ((code = sqlite3_step(query)) == SQLITE_ROW) {
    if ((code = append_row(&buffer, query)) != SQLITE_OK) break;
    if (buffer.size < CAPACITY) continue;
    *checksum += (int64_t)buffer.size;
    buffer.size = 0;
  }
  *checksum += (int64_t)buffer.size;
  return finish(query, code);
}
