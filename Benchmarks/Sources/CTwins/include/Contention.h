#ifndef CONTENTION_H
#define CONTENTION_H

#include <stdint.h>

/* Threads that meet: they read a table `sample` of a file, by keys, until `count` rows are read. */

enum { TWIN_RACE_THREADS = 8, TWIN_RACE_TASKS = 100 };

/// What the threads have done.
typedef struct {
  /// The sum of the keys that were read.
  int64_t sum;
  /// How many rows the thread read that read the fewest.
  int64_t least;
  /// How many transactions the writer committed.
  int64_t commits;
} twin_race_result;

/// Reads a table with `rows` rows; if `times` is not NULL, it gets the nanoseconds that each of the `count` reads took.
typedef int twin_race(const char *path, int64_t count, int64_t rows, uint32_t *times, twin_race_result *result);

/// Each thread has a connection, and a transaction for each read; one more thread writes.
twin_race twin_race_pool;
/// All threads share one connection with a mutex.
twin_race twin_race_queue;
/// A hundred jobs at a time wait for a thread that has the connection, and each result comes back to another thread.
twin_race twin_race_jobs;

/// The nanoseconds since some moment.
uint64_t twin_now(void);

#endif
