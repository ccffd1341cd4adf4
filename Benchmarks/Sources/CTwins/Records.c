#include <stdlib.h>
#include <string.h>

#include "Bits.h"
#include "CTwins.h"
#include "Finish.h"

typedef struct {
  int64_t id;
  double value;
  char *label;
  int label_count;
} Record;

typedef struct {
  Record *start;
  size_t count;
  size_t capacity;
} Records;

static int append(Records *records, Record record) {
  if (records->count == records->capacity) {
    size_t capacity = records->capacity == 0 ? 16 : records->capacity * 2;
    void *start = realloc(records->start, capacity * sizeof record);
    if (start == NULL) return SQLITE_NOMEM;
    records->start = start;
    records->capacity = capacity;
  }
  records->start[records->count++] = record;
  return SQLITE_OK;
}

static int read_row(sqlite3_stmt *statement, Records *records) {
  Record record;
  record.id = sqlite3_column_int64(statement, 0);
  record.value = sqlite3_column_double(statement, 1);
  const unsigned char *label = sqlite3_column_text(statement, 2);
  if (label == NULL) return SQLITE_NOMEM;
  record.label_count = sqlite3_column_bytes(statement, 2);
  record.label = malloc((size_t)record.label_count + 1);
  if (record.label == NULL) return SQLITE_NOMEM;
  memcpy(record.label, label, (size_t)record.label_count + 1);
  int code = append(records, record);
  if (code != SQLITE_OK) free(record.label);
  return code;
}

/* Workloads 4b and 4c: reads an array of structs that own their text. */
int twin_records(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  Records records = {NULL, 0, 0};
  uint64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT id, value, label FROM sample", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if ((code = read_row(statement, &records)) != SQLITE_OK) break;
  }
  code = finish(statement, code);
  for (size_t i = 0; i < records.count; i++) {
    Record record = records.start[i];
    sum += (uint64_t)record.id + bits(record.value) + (uint64_t)record.label_count;
    free(record.label);
  }
  free(records.start);
  *checksum = (int64_t)sum;
  return code;
}
