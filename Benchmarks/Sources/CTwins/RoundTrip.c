#include <pthread.h>

#include "CTwins.h"
#include "Finish.h"

/* Workload 10: locks a mutex around each run of a reused statement. */
int twin_round_trip(sqlite3 *connection, int64_t count, int64_t *checksum) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  sqlite3_stmt *statement = NULL;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT 1", -1, &statement, NULL);
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    if (pthread_mutex_lock(&mutex) != 0) {
      code = SQLITE_MISUSE;
      break;
    }
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
      sum += sqlite3_column_int64(statement, 0);
      code = sqlite3_reset(statement);
    }
    if (pthread_mutex_unlock(&mutex) != 0) code = SQLITE_MISUSE;
  }
  *checksum = sum;
  pthread_mutex_destroy(&mutex);
  return finish(statement, code);
}
