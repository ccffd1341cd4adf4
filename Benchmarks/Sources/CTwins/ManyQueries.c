#include "CTwins.h"
#include "Finish.h"
#include <stdio.h>

/* Queries one row by key, and adds a checksum of the row to the sum. */
static int add(sqlite3_stmt *statement, int64_t key, int64_t *sum) {
  int code = sqlite3_bind_int64(statement, 1, key);
  if (code != SQLITE_OK) return code;
  if ((code = sqlite3_step(statement)) != SQLITE_ROW) return code == SQLITE_DONE ? SQLITE_ERROR : code;
  const unsigned char *label = sqlite3_column_text(statement, 0);
  if (label == NULL) return SQLITE_NOMEM;
  *sum += key * sqlite3_column_bytes(statement, 0);
  return sqlite3_reset(statement);
}

static int prepare(sqlite3 *connection, int64_t number, sqlite3_stmt **statement) {
  char sql[64];
  snprintf(sql, sizeof sql, "SELECT label, %lld FROM sample WHERE id = ?", (long long)number);
  return sqlite3_prepare_v2(connection, sql, -1, statement, NULL);
}

/* Queries rows by key with `kept` statements in turn, and after every `once` queries with a new statement. */
static int queries(sqlite3 *connection, int64_t count, int64_t kept, int64_t once, int64_t *checksum) {
  sqlite3_stmt *statements[1000] = {NULL};
  int64_t sum = 0;
  int code = SQLITE_OK;
  for (int64_t i = 0; i < kept && code == SQLITE_OK; i++) code = prepare(connection, i, &statements[i]);
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    int64_t key = i * 7919 % count + 1;
    if ((code = add(statements[i % kept], key, &sum)) != SQLITE_OK || once == 0 || i % once != 0) continue;
    sqlite3_stmt *other = NULL;
    if ((code = prepare(connection, kept + i, &other)) == SQLITE_OK) code = add(other, key, &sum);
    code = finish(other, code);
  }
  for (int64_t i = 0; i < kept; i++) code = finish(statements[i], code);
  *checksum = sum;
  return code;
}

/* Workload 6c: queries with a thousand reused statements. */
int twin_many_queries(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return queries(connection, count, 1000, 0, checksum);
}

/* Workload 6d: queries with 32 reused statements, and with others that are used once. */
int twin_hot_queries(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return queries(connection, count, 32, 4, checksum);
}
