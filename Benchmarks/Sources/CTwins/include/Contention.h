#ifndef CONTENTION_H
#define CONTENTION_H

#include <stdint.h>

/* Races of threads that read a table `sample` in a file by key, until `count` rows are read. */

enum { TWIN_RACE_THREADS = 8, TWIN_RACE_TASKS = 100 };

/// The work that the threads have done.
typedef struct {
  /// The sum of the keys that were read.
  int64_t sum;
  /// The number of rows read by the thread that read the fewest.
  int64_t least;
  /// The number of transactions that the writer committed.
  int64_t commits;
} twin_race_result;

/// Reads a table with `rows` rows; if `times` is not NULL, it receives the nanoseconds of each of the `count`
/// reads.
typedef int twin_race(const char *path, int64_t count, int64_t rows, uint32_t *times, twin_race_result *result);

/// Each thread has its own connection, and a transaction for each read; one more thread writes.
twin_race twin_race_pool;
/// All threads share one connection with a mutex.
twin_race twin_race_queue;
/// A hundred jobs at a time wait for the thread that uses the connection; another thread receives each result.
twin_race twin_race_jobs;

/// Returns the nanoseconds since an arbitrary moment.
uint64_t twin_now(void);

#endif
