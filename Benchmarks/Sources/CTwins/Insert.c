#include "Single.h"

/* Workload 1: inserts all rows with one reused statement, in one transaction. */
int twin_insert(sqlite3 *connection, int64_t count, int64_t *checksum) {
  static const char label[] = "hello sluice";
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_exec(connection, "BEGIN", NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  code = sqlite3_prepare_v2(connection, "INSERT INTO sample(id, value, label) VALUES (?, ?, ?)", -1,
                            &statement, NULL);
  for (int64_t id = 1; id <= count && code == SQLITE_OK; id++) {
    if ((code = sqlite3_bind_int64(statement, 1, id)) != SQLITE_OK) break;
    if ((code = sqlite3_bind_double(statement, 2, (double)id * 0.5)) != SQLITE_OK) break;
    code = sqlite3_bind_text(statement, 3, label, sizeof label - 1, SQLITE_STATIC);
    if (code != SQLITE_OK) break;
    if ((code = sqlite3_step(statement)) != SQLITE_DONE) break;
    code = sqlite3_reset(statement);
  }
  code = finish(statement, code);
  if (code != SQLITE_OK) {
    sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
    return code;
  }
  *checksum = sqlite3_last_insert_rowid(connection);
  return sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
}

/* Returns a checksum of the table, to check that both sides have inserted the same rows. */
int twin_inserted(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return single(connection, "SELECT sum(id * length(label) + value * 2) FROM sample", checksum);
}
