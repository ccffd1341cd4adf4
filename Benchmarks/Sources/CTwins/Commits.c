#include <pthread.h>

#include "CTwins.h"
#include "Finish.h"
#include "Steps.h"

/* The rows and commits that the hooks have reported. */
typedef struct {
  int64_t rows;
  int64_t commits;
} Seen;

static void note_row(void *context, int operation, const char *schema, const char *table, sqlite3_int64 rowid) {
  (void)operation, (void)schema, (void)table;
  ((Seen *)context)->rows += rowid;
}

static int note_commit(void *context) {
  ((Seen *)context)->commits += 1;
  return 0;
}

static int step_once(sqlite3_stmt *statement, int expected) {
  int code = sqlite3_step(statement);
  if (code != expected) return code == SQLITE_OK || code == SQLITE_DONE ? SQLITE_MISUSE : code;
  return SQLITE_OK;
}

/* Workload 12: inserts a row in an observed transaction, and then queries the largest key. A mutex protects each. */
int twin_commits(sqlite3 *connection, int64_t count, int64_t *checksum) {
  static const char *const sql[] = {
      "BEGIN IMMEDIATE", "INSERT INTO sample VALUES (?1, 0.5, 'label')", "COMMIT", "SELECT max(id) FROM sample"};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  sqlite3_stmt *statements[4] = {NULL, NULL, NULL, NULL};
  sqlite3_stmt *begin, *insert, *commit, *query;
  Seen seen = {0, 0};
  int64_t sum = 0;
  int code = SQLITE_OK;
  for (int i = 0; i < 4 && code == SQLITE_OK; i++) {
    code = sqlite3_prepare_v2(connection, sql[i], -1, &statements[i], NULL);
  }
  begin = statements[0], insert = statements[1], commit = statements[2], query = statements[3];
  sqlite3_update_hook(connection, note_row, &seen);
  sqlite3_commit_hook(connection, note_commit, &seen);
  for (int64_t i = 1; i <= count && code == SQLITE_OK; i++) {
    if (pthread_mutex_lock(&mutex) != 0) code = SQLITE_MISUSE;
    if (code == SQLITE_OK) code = run(begin);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(insert, 1, i);
    if (code == SQLITE_OK) code = run(insert);
    if (code == SQLITE_OK) code = run(commit);
    if (pthread_mutex_unlock(&mutex) != 0) code = SQLITE_MISUSE;
    if (code != SQLITE_OK) break;
    if (pthread_mutex_lock(&mutex) != 0) code = SQLITE_MISUSE;
    if (code == SQLITE_OK) code = step_once(query, SQLITE_ROW);
    if (code == SQLITE_OK) {
      sum += sqlite3_column_int64(query, 0);
      code = sqlite3_reset(query);
    }
    if (pthread_mutex_unlock(&mutex) != 0) code = SQLITE_MISUSE;
  }
  sqlite3_update_hook(connection, NULL, NULL);
  sqlite3_commit_hook(connection, NULL, NULL);
  *checksum = sum + seen.rows + seen.commits;
  pthread_mutex_destroy(&mutex);
  for (int i = 0; i < 4; i++) code = finish(statements[i], code);
  return code;
}
