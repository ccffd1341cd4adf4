#include <sqlite3.h>
#include <stdint.h>

/* Runs a statement that returns no rows. */
static inline int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  int end = sqlite3_reset(statement);
  return code == SQLITE_DONE ? end : code;
}

/* Queries a single row by key, and adds its integer to the sum. */
static inline int query_one(sqlite3_stmt *query, int64_t key, int64_t *sum) {
  int code = sqlite3_bind_int64(query, 1, key);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(query);
  if (code == SQLITE_ROW) *sum += sqlite3_column_int64(query, 0);
  int end = sqlite3_reset(query);
  return code == SQLITE_ROW ? end : code == SQLITE_DONE ? SQLITE_MISUSE : code;
}
