#include <stdlib.h>
#include <string.h>

#include "CTwins.h"
#include "Finish.h"

typedef struct {
  int64_t id;
  char *label;
  int64_t label_count;
  int64_t *sizes;
  int64_t size_count;
} Parcel;

/* Parses a JSON array that contains only integers, and stores them in allocated memory. */
static int read_sizes(const char *json, int count, Parcel *parcel) {
  /* Each integer takes at least two bytes. */
  int64_t *sizes = malloc(((size_t)count / 2 + 1) * sizeof *sizes);
  if (sizes == NULL) return SQLITE_NOMEM;
  parcel->sizes = sizes;
  parcel->size_count = 0;
  if (*json++ != '[') return SQLITE_MISMATCH;
  if (*json == ']') return json[1] == 0 ? SQLITE_OK : SQLITE_MISMATCH;
  for (;;) {
    char *end = NULL;
    sizes[parcel->size_count++] = strtoll(json, &end, 10);
    if (end == json) return SQLITE_MISMATCH;
    if (*end == ']') return end[1] == 0 ? SQLITE_OK : SQLITE_MISMATCH;
    if (*end != ',') return SQLITE_MISMATCH;
    json = end + 1;
  }
}

static int read_row(sqlite3_stmt *statement, Parcel *parcel) {
  parcel->id = sqlite3_column_int64(statement, 0);
  const unsigned char *label = sqlite3_column_text(statement, 1);
  if (label == NULL) return SQLITE_NOMEM;
  parcel->label_count = sqlite3_column_bytes(statement, 1);
  parcel->label = malloc((size_t)parcel->label_count + 1);
  if (parcel->label == NULL) return SQLITE_NOMEM;
  memcpy(parcel->label, label, (size_t)parcel->label_count + 1);
  const unsigned char *json = sqlite3_column_text(statement, 2);
  if (json == NULL) return SQLITE_NOMEM;
  return read_sizes((const char *)json, sqlite3_column_bytes(statement, 2), parcel);
}

/* Workload 4j: reads an array of structs that own their text and the integers of a JSON array. */
int twin_parcels(sqlite3 *connection, int64_t count, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  Parcel *parcels = NULL;
  size_t used = 0, capacity = 0;
  uint64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT id, label, sizes FROM parcel", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (used == capacity) {
      capacity = capacity == 0 ? 16 : capacity * 2;
      void *larger = realloc(parcels, capacity * sizeof *parcels);
      if (larger == NULL) {
        code = SQLITE_NOMEM;
        break;
      }
      parcels = larger;
    }
    parcels[used] = (Parcel){0, NULL, 0, NULL, 0};
    if ((code = read_row(statement, &parcels[used++])) != SQLITE_OK) break;
  }
  code = finish(statement, code);
  for (size_t i = 0; i < used; i++) {
    sum += (uint64_t)parcels[i].id + (uint64_t)parcels[i].label_count;
    for (int64_t j = 0; j < parcels[i].size_count; j++) sum += (uint64_t)parcels[i].sizes[j];
    free(parcels[i].label);
    free(parcels[i].sizes);
  }
  free(parcels);
  *checksum = (int64_t)sum;
  return code;
}
