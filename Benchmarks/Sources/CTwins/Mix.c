#include <pthread.h>
#include <stdatomic.h>

#include "CTwins.h"
#include "Finish.h"
#include "Steps.h"

enum { READERS = 2 };

/* A connection to the file, with its reused statements. */
typedef struct {
  sqlite3 *connection;
  sqlite3_stmt *statements[3];
} Member;

/* A pool of connections that several threads share. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t given;
  Member *free[READERS];
  int free_count;
  Member readers[READERS];
  Member writer;
  pthread_mutex_t writing;
  int64_t rows;
} Pool;

static const char *const reading[] = {"BEGIN", "SELECT id FROM sample WHERE id = ?1", "COMMIT"};

static int open_member(Member *member, const char *path, int flags, const char *const *sql, int count) {
  int code = sqlite3_open_v2(path, &member->connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(member->connection, 5000);
  if (code == SQLITE_OK) code = sqlite3_exec(member->connection, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
  for (int i = 0; i < count && code == SQLITE_OK; i++) {
    code = sqlite3_prepare_v2(member->connection, sql[i], -1, &member->statements[i], NULL);
  }
  return code;
}

static int close_member(Member *member, int code) {
  for (int i = 0; i < 3; i++) code = finish(member->statements[i], code);
  int end = sqlite3_close(member->connection);
  return code == SQLITE_OK ? end : code;
}

/* Runs one point query in a transaction, on a free connection. */
static int read_one(Pool *pool, int64_t id, int64_t *sum) {
  if (pthread_mutex_lock(&pool->mutex) != 0) return SQLITE_MISUSE;
  while (pool->free_count == 0) pthread_cond_wait(&pool->given, &pool->mutex);
  Member *member = pool->free[--pool->free_count];
  pthread_mutex_unlock(&pool->mutex);
  int code = run(member->statements[0]);
  if (code == SQLITE_OK) {
    code = query_one(member->statements[1], id, sum);
    int end = run(member->statements[2]);
    if (code == SQLITE_OK) code = end;
  }
  pthread_mutex_lock(&pool->mutex);
  pool->free[pool->free_count++] = member;
  pthread_cond_signal(&pool->given);
  pthread_mutex_unlock(&pool->mutex);
  return code;
}

/* Runs one transaction that changes one row. */
static int write_one(Pool *pool, int64_t id) {
  if (pthread_mutex_lock(&pool->writing) != 0) return SQLITE_MISUSE;
  sqlite3_stmt **statements = pool->writer.statements;
  int code = run(statements[0]);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(statements[1], 1, id);
  if (code == SQLITE_OK) code = run(statements[1]);
  if (code == SQLITE_OK) code = run(statements[2]);
  pthread_mutex_unlock(&pool->writing);
  return code;
}

/* The work of a thread: `count` operations or, if the count is 0, operations until the other threads have finished. */
typedef struct {
  Pool *pool;
  int64_t count;
  int is_writer;
  int64_t sum;
  int code;
  atomic_int *running;
} Work;

static void *work(void *context) {
  Work *work = context;
  for (int64_t i = 0; work->count == 0 ? atomic_load(work->running) > 0 : i < work->count; i++) {
    int64_t id = i * 7919 % work->pool->rows + 1;
    work->code = work->is_writer ? write_one(work->pool, id) : read_one(work->pool, id, &work->sum);
    if (work->code != SQLITE_OK) break;
  }
  if (work->count != 0) atomic_fetch_sub(work->running, 1);
  return NULL;
}

static int run_mix(Pool *pool, int64_t reads, int64_t writes, int64_t *checksum) {
  atomic_int running = reads != 0 ? READERS : 1;
  pthread_t threads[READERS + 1];
  Work works[READERS + 1];
  int started = 0;
  int code = SQLITE_OK;
  for (; started <= READERS; started++) {
    int is_writer = started == READERS;
    works[started] = (Work){pool, is_writer ? writes : reads / READERS, is_writer, 0, SQLITE_OK, &running};
    if (pthread_create(&threads[started], NULL, work, &works[started]) != 0) {
      code = SQLITE_MISUSE;
      atomic_store(&running, 0);
      break;
    }
  }
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
    if (code == SQLITE_OK) code = works[i].code;
    if (works[i].count != 0) *checksum += works[i].is_writer ? works[i].count : works[i].sum;
  }
  return code;
}

static int twin_mix(sqlite3 *connection, int64_t reads, int64_t writes, int64_t *checksum) {
  static const char *const update[] = {
      "BEGIN IMMEDIATE", "UPDATE sample SET value = value + 1 WHERE id = ?1", "COMMIT"};
  const char *path = sqlite3_db_filename(connection, "source");
  Pool pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
               .given = PTHREAD_COND_INITIALIZER,
               .writing = PTHREAD_MUTEX_INITIALIZER,
               .rows = 10000};
  *checksum = 0;
  int code = open_member(&pool.writer, path, SQLITE_OPEN_READWRITE, update, 3);
  for (int i = 0; i < READERS && code == SQLITE_OK; i++) {
    code = open_member(&pool.readers[i], path, SQLITE_OPEN_READONLY, reading, 3);
    pool.free[pool.free_count++] = &pool.readers[i];
  }
  if (code == SQLITE_OK) code = run_mix(&pool, reads, writes, checksum);
  for (int i = 0; i < READERS; i++) code = close_member(&pool.readers[i], code);
  return close_member(&pool.writer, code);
}

/* Workload 11: two threads make `count` reads while a third thread writes. */
int twin_mix_reads(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return twin_mix(connection, count, 0, checksum);
}

/* Workload 11: one thread makes `count` writes while two other threads read. */
int twin_mix_writes(sqlite3 *connection, int64_t count, int64_t *checksum) {
  return twin_mix(connection, 0, count, checksum);
}

/* Workload 11: one thread reads while nothing writes. */
int twin_pool_read(sqlite3 *connection, int64_t count, int64_t *checksum) {
  const char *path = sqlite3_db_filename(connection, "source");
  Pool pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER, .rows = 10000};
  *checksum = 0;
  int code = open_member(&pool.readers[0], path, SQLITE_OPEN_READONLY, reading, 3);
  pool.free[pool.free_count++] = &pool.readers[0];
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    code = read_one(&pool, i * 7919 % pool.rows + 1, checksum);
  }
  return close_member(&pool.readers[0], code);
}
