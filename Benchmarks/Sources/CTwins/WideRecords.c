#include <stdlib.h>
#include <string.h>

#include "Bits.h"
#include "CTwins.h"
#include "Finish.h"

enum { GROUPS = 10 };

typedef struct {
  char *start;
  int count;
} Text;

/* A group of four columns; the fourth is an integer or a text, alternately, and can be NULL. */
typedef struct {
  int64_t integer;
  double real;
  Text text;
  int64_t optional_integer;
  Text optional_text;
  int has_optional;
} Group;

typedef struct {
  Group groups[GROUPS];
} Record;

typedef struct {
  Record *start;
  size_t count;
  size_t capacity;
} Records;

static int reserve(Records *records) {
  if (records->count < records->capacity) return SQLITE_OK;
  size_t capacity = records->capacity == 0 ? 16 : records->capacity * 2;
  void *start = realloc(records->start, capacity * sizeof(Record));
  if (start == NULL) return SQLITE_NOMEM;
  records->start = start;
  records->capacity = capacity;
  return SQLITE_OK;
}

static int read_text(sqlite3_stmt *statement, int column, Text *text) {
  const unsigned char *start = sqlite3_column_text(statement, column);
  if (start == NULL) return SQLITE_NOMEM;
  int count = sqlite3_column_bytes(statement, column);
  text->start = malloc((size_t)count + 1);
  if (text->start == NULL) return SQLITE_NOMEM;
  memcpy(text->start, start, (size_t)count + 1);
  text->count = count;
  return SQLITE_OK;
}

static int read_group(sqlite3_stmt *statement, int index, Group *group) {
  int column = index * 4;
  group->integer = sqlite3_column_int64(statement, column);
  group->real = sqlite3_column_double(statement, column + 1);
  int code = read_text(statement, column + 2, &group->text);
  if (code != SQLITE_OK) return code;
  group->has_optional = sqlite3_column_type(statement, column + 3) != SQLITE_NULL;
  if (!group->has_optional) return SQLITE_OK;
  if (index % 2 == 1) return read_text(statement, column + 3, &group->optional_text);
  group->optional_integer = sqlite3_column_int64(statement, column + 3);
  return SQLITE_OK;
}

static int read_row(sqlite3_stmt *statement, Records *records) {
  int code = reserve(records);
  if (code != SQLITE_OK) return code;
  /* Count the record now, so that a failed row's fields are freed with all others. */
  Record *record = memset(&records->start[records->count++], 0, sizeof(Record));
  for (int i = 0; i < GROUPS; i++) {
    if ((code = read_group(statement, i, &record->groups[i])) != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

static uint64_t sum_and_free(Record *record) {
  uint64_t sum = 0;
  for (int i = 0; i < GROUPS; i++) {
    Group *group = &record->groups[i];
    sum += (uint64_t)group->integer + bits(group->real) + (uint64_t)group->text.count;
    sum += (uint64_t)group->optional_integer + (uint64_t)group->optional_text.count;
    free(group->text.start);
    free(group->optional_text.start);
  }
  return sum;
}

/* Workload 4w: reads an array of structs with 40 columns that own their text. */
int twin_wide_records(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  Records records = {NULL, 0, 0};
  uint64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT * FROM wide", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if ((code = read_row(statement, &records)) != SQLITE_OK) break;
  }
  code = finish(statement, code);
  for (size_t i = 0; i < records.count; i++) sum += sum_and_free(&records.start[i]);
  free(records.start);
  *checksum = (int64_t)sum;
  return code;
}
