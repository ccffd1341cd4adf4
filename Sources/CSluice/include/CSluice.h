#ifndef CSLUICE_H
#define CSLUICE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>

/* What Swift cannot say: macros, variadic functions, and functions that some builds of SQLite lack. */

/// A number for the calling thread that no other living thread has; never 0.
static inline uintptr_t sluice_current_thread(void) { return (uintptr_t)pthread_self(); }

/// Binds text that SQLite copies before it returns.
static inline int sluice_bind_text(sqlite3_stmt *statement, int index, const void *text,
                                   uint64_t count) {
  return sqlite3_bind_text64(statement, index, (const char *)text, count, SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

/// Binds bytes that SQLite copies before it returns; none, without an address, are an empty blob.
static inline int sluice_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                   uint64_t count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Answers with text that SQLite copies before it returns.
static inline void sluice_result_text(sqlite3_context *context, const void *text, uint64_t count) {
  sqlite3_result_text64(context, (const char *)text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Answers with bytes that SQLite copies before it returns; none, without an address, are an empty blob.
static inline void sluice_result_blob(sqlite3_context *context, const void *bytes, uint64_t count) {
  if (count == 0)
    sqlite3_result_zeroblob(context, 0);
  else
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

/// Answers with an error whose message SQLite copies.
static inline void sluice_result_error(sqlite3_context *context, const void *message, int count) {
  sqlite3_result_error(context, count == 0 ? "" : (const char *)message, count);
}

/// Sets a switch of a connection: 1 for on, 0 for off.
int sluice_db_config(sqlite3 *connection, int operation, int value);

/// `sqlite3_error_offset`, or -1 where SQLite is older than 3.38.
int sluice_error_offset(sqlite3 *connection);

#endif
