#include "Allocations.h"

#include <sqlite3.h>
#include <stddef.h>

static void increment(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_result_int64(context, sqlite3_value_int64(values[0]) + 1);
}

static void byte_count(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  (void)sqlite3_value_text(values[0]);
  sqlite3_result_int64(context, sqlite3_value_bytes(values[0]));
}

static void sum_step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  int64_t *sum = sqlite3_aggregate_context(context, sizeof *sum);
  if (sum != NULL) *sum += sqlite3_value_int64(values[0]);
}

static void sum_final(sqlite3_context *context) {
  int64_t *sum = sqlite3_aggregate_context(context, sizeof *sum);
  sqlite3_result_int64(context, sum == NULL ? 0 : *sum);
}

int twin_open(int is_serialized, const char *sql, sqlite3 **connection) {
  int mutex = is_serialized ? SQLITE_OPEN_FULLMUTEX : SQLITE_OPEN_NOMUTEX;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | mutex;
  int code = sqlite3_open_v2(":memory:", connection, flags, NULL);
  for (int typed = 0; typed <= 1 && code == SQLITE_OK; typed++) {
    const char *name = typed ? "typed_increment" : "increment";
    code = sqlite3_create_function_v2(*connection, name, 1, SQLITE_UTF8, NULL, increment, NULL, NULL, NULL);
  }
  if (code != SQLITE_OK) return code;
  code = sqlite3_create_function_v2(*connection, "byte_count", 1, SQLITE_UTF8, NULL, byte_count, NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  code = sqlite3_create_function_v2(*connection, "integer_sum", 1, SQLITE_UTF8, NULL, NULL, sum_step, sum_final, NULL);
  return code == SQLITE_OK ? sqlite3_exec(*connection, sql, NULL, NULL, NULL) : code;
}

static int run(sqlite3_stmt *statement) {
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int column = 0; column < sqlite3_column_count(statement); column++) {
      switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER: sqlite3_column_int64(statement, column); break;
        case SQLITE_FLOAT: sqlite3_column_double(statement, column); break;
        default: sqlite3_column_text(statement, column);
      }
    }
  }
  return sqlite3_reset(statement);
}

int twin_query(sqlite3 *connection, const char *sql, int64_t count) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 1, count);
  if (code == SQLITE_OK) code = run(statement);
  sqlite3_finalize(statement);
  return code;
}

int twin_execute(sqlite3 *connection, const char *sql, int64_t count) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_exec(connection, "BEGIN", NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
  for (int64_t number = 1; number <= count && code == SQLITE_OK; number++) {
    code = sqlite3_bind_int64(statement, 1, number);
    if (code == SQLITE_OK && sqlite3_bind_parameter_count(statement) == 3) {
      code = sqlite3_bind_double(statement, 2, (double)number);
      if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 3, "hello sluice", 12, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) code = run(statement);
  }
  sqlite3_finalize(statement);
  return code == SQLITE_OK ? sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL) : code;
}
