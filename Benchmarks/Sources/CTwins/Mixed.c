#include "CTwins.h"
#include "Finish.h"

enum { BEGIN, INSERT, UPDATE, QUERY, COMMIT, STATEMENTS };

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  int end = sqlite3_reset(statement);
  if (code == SQLITE_DONE) return end;
  return code == SQLITE_OK || code == SQLITE_ROW ? SQLITE_MISUSE : code;
}

static int insert(sqlite3_stmt *statement, int64_t id) {
  static const char label[] = "hello sluice";
  int code = sqlite3_bind_int64(statement, 1, id);
  if (code == SQLITE_OK) code = sqlite3_bind_double(statement, 2, (double)id * 0.5);
  if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 3, label, sizeof label - 1, SQLITE_STATIC);
  return code == SQLITE_OK ? run(statement) : code;
}

static int query(sqlite3_stmt *statement, int64_t id, double *value) {
  int code = sqlite3_bind_int64(statement, 1, id);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(statement);
  if (code == SQLITE_ROW) *value = sqlite3_column_double(statement, 0);
  int end = sqlite3_reset(statement);
  if (code == SQLITE_ROW) return end;
  return code == SQLITE_OK || code == SQLITE_DONE ? SQLITE_MISUSE : code;
}

/* Workload 12m: runs transactions of three inserts, an update and a query, with reused statements. */
int twin_mixed(sqlite3 *connection, int64_t count, int64_t *checksum) {
  static const char *const sql[STATEMENTS] = {
      "BEGIN IMMEDIATE", "INSERT INTO sample(id, value, label) VALUES (?1, ?2, ?3)",
      "UPDATE sample SET value = value + 1 WHERE id = ?1", "SELECT value FROM sample WHERE id = ?1", "COMMIT"};
  sqlite3_stmt *statements[STATEMENTS] = {NULL};
  int64_t sum = 0;
  int code = SQLITE_OK;
  for (int i = 0; i < STATEMENTS && code == SQLITE_OK; i++) {
    code = sqlite3_prepare_v2(connection, sql[i], -1, &statements[i], NULL);
  }
  for (int64_t first = 1; first <= count * 3 && code == SQLITE_OK; first += 3) {
    double value = 0;
    code = run(statements[BEGIN]);
    for (int64_t id = first; id < first + 3 && code == SQLITE_OK; id++) code = insert(statements[INSERT], id);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statements[UPDATE], 1, first);
    if (code == SQLITE_OK) code = run(statements[UPDATE]);
    if (code == SQLITE_OK) code = query(statements[QUERY], first, &value);
    if (code == SQLITE_OK) code = run(statements[COMMIT]);
    sum += (int64_t)(value * 2);
  }
  for (int i = 0; i < STATEMENTS; i++) code = finish(statements[i], code);
  if (!sqlite3_get_autocommit(connection)) sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
  *checksum = sum;
  return code;
}
