#include <string.h>

#include "Single.h"

/* The numbers from start to stop as a table-valued function, like SQLite's series.c without its options. */

enum { VALUE, START, STOP };

typedef struct {
  sqlite3_vtab_cursor base;
  int64_t value, start, stop;
} cursor_t;

static int series_connect(sqlite3 *connection, void *context, int count, const char *const *texts,
                          sqlite3_vtab **table, char **message) {
  int code = sqlite3_declare_vtab(connection, "CREATE TABLE x(value, start HIDDEN, stop HIDDEN)");
  if (code != SQLITE_OK) return code;
  *table = sqlite3_malloc(sizeof **table);
  if (*table == NULL) return SQLITE_NOMEM;
  memset(*table, 0, sizeof **table);
  return SQLITE_OK;
}

static int series_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int series_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  for (int column = START; column <= STOP; column++) {
    for (int index = 0; index < info->nConstraint; index++) {
      const struct sqlite3_index_constraint *constraint = &info->aConstraint[index];
      if (constraint->iColumn != column || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (!constraint->usable) return SQLITE_CONSTRAINT;
      info->aConstraintUsage[index].argvIndex = column;
      info->aConstraintUsage[index].omit = 1;
      break;
    }
  }
  info->estimatedCost = info->estimatedRows = 1000;
  return SQLITE_OK;
}

static int series_open(sqlite3_vtab *table, sqlite3_vtab_cursor **place) {
  cursor_t *cursor = sqlite3_malloc(sizeof *cursor);
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof *cursor);
  *place = &cursor->base;
  return SQLITE_OK;
}

static int series_close(sqlite3_vtab_cursor *base) {
  sqlite3_free(base);
  return SQLITE_OK;
}

static int series_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                         sqlite3_value **values) {
  cursor_t *cursor = (cursor_t *)base;
  if (count != 2) return SQLITE_ERROR;
  cursor->value = cursor->start = sqlite3_value_int64(values[0]);
  cursor->stop = sqlite3_value_int64(values[1]);
  return SQLITE_OK;
}

static int series_next(sqlite3_vtab_cursor *base) {
  ((cursor_t *)base)->value++;
  return SQLITE_OK;
}

static int series_eof(sqlite3_vtab_cursor *base) {
  const cursor_t *cursor = (cursor_t *)base;
  return cursor->value > cursor->stop;
}

static int series_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const cursor_t *cursor = (cursor_t *)base;
  sqlite3_result_int64(context, column == START  ? cursor->start
                                : column == STOP ? cursor->stop
                                                 : cursor->value);
  return SQLITE_OK;
}

static int series_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((cursor_t *)base)->value;
  return SQLITE_OK;
}

static const sqlite3_module series = {
    .xConnect = series_connect,
    .xBestIndex = series_best_index,
    .xDisconnect = series_disconnect,
    .xOpen = series_open,
    .xClose = series_close,
    .xFilter = series_filter,
    .xNext = series_next,
    .xEof = series_eof,
    .xColumn = series_column,
    .xRowid = series_rowid,
};

/* Workload vtab: reads the rows of a virtual table. */
int twin_series(sqlite3 *connection, int64_t count, int64_t *checksum) {
  int code = sqlite3_create_module_v2(connection, "series", &series, NULL, NULL);
  if (code != SQLITE_OK) return code;
  return single(connection, "SELECT sum(value) FROM series(1, (SELECT max(id) FROM sample))", checksum);
}
