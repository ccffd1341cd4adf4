#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "Extension.h"
#include "Fork.h"

/// Whether this program counts. Sanitizers bring a malloc of their own, and other C libraries than GNU's do not say
/// by what name theirs can be called from one that stands in its place.
bool allocations_are_counted(void);

/// How often this thread has asked for memory, by way of whatever library.
uint64_t allocations_of_this_thread(void);

/// How many blocks of memory the program has, by way of whatever library.
int64_t allocations_in_use(void);

/// How many bytes this thread has allocated, without those that it has freed.
int64_t bytes_of_this_thread(void);

/* What the tests of allocations do, as C does it: the allocations are those of SQLite alone. */

struct sqlite3;

/// Opens a database in memory with or without mutexes, runs `sql`, and adds the functions `increment`,
/// `typed_increment` and `byte_count`, and the aggregate `integer_sum`. If this fails, the connection is still to be closed.
int twin_open(int is_serialized, const char *sql, struct sqlite3 **connection);

/// Runs a statement once, with `count` as its parameter, and reads all columns of all rows.
int twin_query(struct sqlite3 *connection, const char *sql, int64_t count);

/// Runs a statement `count` times in a transaction, with an integer, and if it has more parameters a real and text.
int twin_execute(struct sqlite3 *connection, const char *sql, int64_t count);

#endif
