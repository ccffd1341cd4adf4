#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "Contention.h"
#include "CTwins.h"
#include "Finish.h"
#include "Steps.h"

uint64_t twin_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* A race of threads that take numbers from a shared counter until all are taken. */
typedef struct {
  atomic_llong next;
  int64_t count;
  int64_t rows;
  const char *path;
  atomic_int running;
  /* For the workload with one queue: the connection that all threads share. */
  sqlite3 *shared;
  sqlite3_stmt *shared_query;
  pthread_mutex_t mutex;
  /* The time of each read, by number, or NULL. */
  uint32_t *times;
} Race;

typedef struct {
  Race *race;
  int64_t sum;
  int64_t done;
  int code;
} Runner;

static int open_file(const char *path, int flags, sqlite3 **connection) {
  int code = sqlite3_open_v2(path, connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(*connection, 5000);
  if (code == SQLITE_OK) code = sqlite3_exec(*connection, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
  return code;
}

static const char lookup[] = "SELECT id FROM sample WHERE id = ?1";

static int64_t take(Race *race) {
  int64_t number = atomic_fetch_add(&race->next, 1);
  return number < race->count ? number : -1;
}

static void note(Race *race, int64_t number, uint64_t start) {
  if (!race->times) return;
  uint64_t time = twin_now() - start;
  race->times[number] = time > UINT32_MAX ? UINT32_MAX : (uint32_t)time;
}

static void *read_by_pool(void *context) {
  Runner *runner = context;
  Race *race = runner->race;
  static const char *const sql[] = {"BEGIN", lookup, "COMMIT"};
  sqlite3_stmt *statements[3] = {NULL, NULL, NULL};
  sqlite3 *connection = NULL;
  int code = open_file(race->path, SQLITE_OPEN_READONLY, &connection);
  for (int i = 0; i < 3 && code == SQLITE_OK; i++) {
    code = sqlite3_prepare_v2(connection, sql[i], -1, &statements[i], NULL);
  }
  for (int64_t number; code == SQLITE_OK && (number = take(race)) >= 0; runner->done++) {
    uint64_t start = race->times ? twin_now() : 0;
    code = run(statements[0]);
    if (code == SQLITE_OK) code = query_one(statements[1], number * 7919 % race->rows + 1, &runner->sum);
    if (code == SQLITE_OK) code = run(statements[2]);
    note(race, number, start);
  }
  for (int i = 0; i < 3; i++) code = finish(statements[i], code);
  int end = sqlite3_close(connection);
  runner->code = code == SQLITE_OK ? end : code;
  atomic_fetch_sub(&race->running, 1);
  return NULL;
}

static void *read_by_queue(void *context) {
  Runner *runner = context;
  Race *race = runner->race;
  int code = SQLITE_OK;
  for (int64_t number; code == SQLITE_OK && (number = take(race)) >= 0; runner->done++) {
    uint64_t start = race->times ? twin_now() : 0;
    if (pthread_mutex_lock(&race->mutex) != 0) code = SQLITE_MISUSE;
    if (code == SQLITE_OK) {
      code = query_one(race->shared_query, number * 7919 % race->rows + 1, &runner->sum);
      pthread_mutex_unlock(&race->mutex);
    }
    note(race, number, start);
  }
  runner->code = code;
  atomic_fetch_sub(&race->running, 1);
  return NULL;
}

static void *write_on(void *context) {
  Runner *runner = context;
  Race *race = runner->race;
  static const char *const sql[] = {
      "BEGIN IMMEDIATE", "UPDATE sample SET value = value + 1 WHERE id = ?1", "COMMIT"};
  sqlite3_stmt *statements[3] = {NULL, NULL, NULL};
  sqlite3 *connection = NULL;
  int code = open_file(race->path, SQLITE_OPEN_READWRITE, &connection);
  for (int i = 0; i < 3 && code == SQLITE_OK; i++) {
    code = sqlite3_prepare_v2(connection, sql[i], -1, &statements[i], NULL);
  }
  for (; code == SQLITE_OK && atomic_load(&race->running) > 0; runner->done++) {
    code = run(statements[0]);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statements[1], 1, runner->done * 7919 % race->rows + 1);
    if (code == SQLITE_OK) code = run(statements[1]);
    if (code == SQLITE_OK) code = run(statements[2]);
  }
  for (int i = 0; i < 3; i++) code = finish(statements[i], code);
  int end = sqlite3_close(connection);
  runner->code = code == SQLITE_OK ? end : code;
  return NULL;
}

static int start(Race *race, void *(*read)(void *), int has_writer, twin_race_result *result) {
  pthread_t threads[TWIN_RACE_THREADS + 1];
  Runner runners[TWIN_RACE_THREADS + 1];
  int count = TWIN_RACE_THREADS + has_writer;
  int started = 0;
  int code = SQLITE_OK;
  atomic_store(&race->running, TWIN_RACE_THREADS);
  for (; started < count; started++) {
    void *(*body)(void *) = started == TWIN_RACE_THREADS ? write_on : read;
    runners[started] = (Runner){race, 0, 0, SQLITE_OK};
    if (pthread_create(&threads[started], NULL, body, &runners[started]) != 0) {
      code = SQLITE_NOMEM;
      atomic_store(&race->next, race->count);
      atomic_store(&race->running, 0);
      break;
    }
  }
  result->least = race->count;
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
    if (code == SQLITE_OK) code = runners[i].code;
    if (i == TWIN_RACE_THREADS) {
      result->commits = runners[i].done;
    } else {
      result->sum += runners[i].sum;
      if (runners[i].done < result->least) result->least = runners[i].done;
    }
  }
  return code;
}

int twin_race_pool(const char *path, int64_t count, int64_t rows, uint32_t *times, twin_race_result *result) {
  Race race = {.count = count, .rows = rows, .path = path, .times = times};
  *result = (twin_race_result){0, 0, 0};
  return start(&race, read_by_pool, 1, result);
}

int twin_race_queue(const char *path, int64_t count, int64_t rows, uint32_t *times, twin_race_result *result) {
  Race race = {.count = count, .rows = rows, .path = path, .times = times, .mutex = PTHREAD_MUTEX_INITIALIZER};
  *result = (twin_race_result){0, 0, 0};
  int code = open_file(path, SQLITE_OPEN_READWRITE, &race.shared);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(race.shared, lookup, -1, &race.shared_query, NULL);
  if (code == SQLITE_OK) code = start(&race, read_by_queue, 0, result);
  code = finish(race.shared_query, code);
  int end = sqlite3_close(race.shared);
  pthread_mutex_destroy(&race.mutex);
  return code == SQLITE_OK ? end : code;
}

/* A job for the thread that uses the connection. */
typedef struct Job {
  struct Job *following;
  int64_t number;
} Job;

/* A queue of jobs; one queue contains the jobs to run, and another one the results. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t came;
  Job *first, **last;
  int is_over;
} Line;

static void post(Line *line, Job *job) {
  job->following = NULL;
  pthread_mutex_lock(&line->mutex);
  int was_empty = !line->first;
  *line->last = job;
  line->last = &job->following;
  pthread_mutex_unlock(&line->mutex);
  if (was_empty) pthread_cond_signal(&line->came);
}

static Job *next_job(Line *line) {
  pthread_mutex_lock(&line->mutex);
  while (!line->first && !line->is_over) pthread_cond_wait(&line->came, &line->mutex);
  Job *job = line->first;
  if (job) {
    line->first = job->following;
    if (!line->first) line->last = &line->first;
  }
  pthread_mutex_unlock(&line->mutex);
  return job;
}

static void end_line(Line *line) {
  pthread_mutex_lock(&line->mutex);
  line->is_over = 1;
  pthread_mutex_unlock(&line->mutex);
  pthread_cond_broadcast(&line->came);
}

typedef struct {
  Race race;
  Line jobs, results;
  Runner runner;
} Exchange;

static void *do_jobs(void *context) {
  Exchange *exchange = context;
  for (Job *job; (job = next_job(&exchange->jobs));) {
    Runner *runner = &exchange->runner;
    if (runner->code == SQLITE_OK) {
      runner->code = query_one(
          exchange->race.shared_query, job->number * 7919 % exchange->race.rows + 1, &runner->sum);
    }
    post(&exchange->results, job);
  }
  return NULL;
}

/* A hundred jobs wait at a time: for each result that it receives, the calling thread posts the next job. */
int twin_race_jobs(const char *path, int64_t count, int64_t rows, uint32_t *times, twin_race_result *result) {
  (void)times;
  Exchange exchange = {
      .race = {.count = count, .rows = rows, .path = path},
      .jobs = {.mutex = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER},
      .results = {.mutex = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER}};
  exchange.jobs.last = &exchange.jobs.first;
  exchange.results.last = &exchange.results.first;
  Job jobs[TWIN_RACE_TASKS];
  pthread_t thread;
  *result = (twin_race_result){0, 0, 0};
  int code = open_file(path, SQLITE_OPEN_READWRITE, &exchange.race.shared);
  if (code == SQLITE_OK) {
    code = sqlite3_prepare_v2(exchange.race.shared, lookup, -1, &exchange.race.shared_query, NULL);
  }
  if (code == SQLITE_OK && pthread_create(&thread, NULL, do_jobs, &exchange) != 0) code = SQLITE_NOMEM;
  if (code == SQLITE_OK) {
    int under_way = 0;
    for (; under_way < TWIN_RACE_TASKS; under_way++) {
      if ((jobs[under_way].number = take(&exchange.race)) < 0) break;
      post(&exchange.jobs, &jobs[under_way]);
    }
    while (under_way > 0) {
      Job *job = next_job(&exchange.results);
      if ((job->number = take(&exchange.race)) < 0) {
        under_way--;
      } else {
        post(&exchange.jobs, job);
      }
    }
    end_line(&exchange.jobs);
    pthread_join(thread, NULL);
    code = exchange.runner.code;
    result->sum = exchange.runner.sum;
  }
  code = finish(exchange.race.shared_query, code);
  int end = sqlite3_close(exchange.race.shared);
  return code == SQLITE_OK ? end : code;
}
