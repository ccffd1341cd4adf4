#ifndef CSLUICE_H
#define CSLUICE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__APPLE__)
#include <os/lock.h>
#endif

#include "Memory.h"
#include "Optional.h"
#include "Sessions.h"

/* What Swift cannot say: macros and variadic functions. What some builds of SQLite lack is in Optional.h. */

/// A number for the calling thread that no other living thread has; never 0.
static inline uintptr_t sluice_current_thread(void) {
#if defined(__GLIBC__) && defined(__x86_64__)
  // The value of pthread_self without the call: each access of a queue asks several times.
  uintptr_t thread;
  __asm__ volatile("mov %%fs:0x10, %0" : "=r"(thread));
  return thread;
#else
  return (uintptr_t)pthread_self();
#endif
}

/// A mutex that lets a running thread take it before those that wait.
#if defined(__APPLE__)
typedef os_unfair_lock sluice_mutex;
static inline void sluice_mutex_init(sluice_mutex *mutex) { *mutex = OS_UNFAIR_LOCK_INIT; }
static inline void sluice_mutex_destroy(sluice_mutex *mutex) { (void)mutex; }
static inline void sluice_mutex_lock(sluice_mutex *mutex) { os_unfair_lock_lock(mutex); }
static inline _Bool sluice_mutex_try(sluice_mutex *mutex) { return os_unfair_lock_trylock(mutex); }
static inline void sluice_mutex_unlock(sluice_mutex *mutex) { os_unfair_lock_unlock(mutex); }
#else
typedef pthread_mutex_t sluice_mutex;
static inline void sluice_mutex_init(sluice_mutex *mutex) {
#if defined(__GLIBC__)
  // A thread that finds it locked tries for a microsecond before it sleeps: most are locked for less.
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
#else
  pthread_mutex_init(mutex, 0);
#endif
}
static inline void sluice_mutex_destroy(sluice_mutex *mutex) { pthread_mutex_destroy(mutex); }
static inline void sluice_mutex_lock(sluice_mutex *mutex) { pthread_mutex_lock(mutex); }
static inline _Bool sluice_mutex_try(sluice_mutex *mutex) { return pthread_mutex_trylock(mutex) == 0; }
static inline void sluice_mutex_unlock(sluice_mutex *mutex) { pthread_mutex_unlock(mutex); }
#endif

/// How many bytes a file has, or -1 if there is none.
static inline int64_t sluice_file_size(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

/// Finds the device and the number that the file system has for a file; false if it has none.
static inline _Bool sluice_file_identity(const char *path, uint64_t *device, uint64_t *number) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  *device = (uint64_t)status.st_dev;
  *number = (uint64_t)status.st_ino;
  return 1;
}

/// Whether bytes are the same: 0 if they are.
static inline int sluice_compare(const void *first, const void *second, size_t count) {
  return memcmp(first, second, count);
}

/* What a row and the arguments of a function are read with, from wherever that is compiled. */

/// The value in a column, which may be read until the statement moves on.
static inline sqlite3_value *sluice_column(sqlite3_stmt *statement, int index) {
  return sqlite3_column_value(statement, index);
}
static const int sluice_integer_type = SQLITE_INTEGER;
static const int sluice_real_type = SQLITE_FLOAT;
static const int sluice_text_type = SQLITE_TEXT;
static const int sluice_blob_type = SQLITE_BLOB;
static const int sluice_null_type = SQLITE_NULL;
static inline int sluice_type(sqlite3_value *value) { return sqlite3_value_type(value); }
static inline int64_t sluice_integer(sqlite3_value *value) { return sqlite3_value_int64(value); }
static inline double sluice_real(sqlite3_value *value) { return sqlite3_value_double(value); }
static inline const void *sluice_text(sqlite3_value *value) { return sqlite3_value_text(value); }
static inline const void *sluice_blob(sqlite3_value *value) { return sqlite3_value_blob(value); }
/// How many bytes the text or blob has that was asked for just before.
static inline int sluice_count(sqlite3_value *value) { return sqlite3_value_bytes(value); }

/// Binds text that SQLite copies before it returns.
static inline int sluice_bind_text(sqlite3_stmt *statement, int index, const void *text,
                                   uint64_t count) {
  return sqlite3_bind_text64(statement, index, (const char *)text, count, SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

/// Binds text that stays where it is until something else is bound.
static inline int sluice_bind_kept_text(sqlite3_stmt *statement, int index, const void *text,
                                        int count) {
  return sqlite3_bind_text(statement, index, (const char *)text, count, SQLITE_STATIC);
}

/// Binds bytes that SQLite copies before it returns; none, without an address, are an empty blob.
static inline int sluice_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                   uint64_t count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Answers with text that SQLite copies before it returns, and behind which there is a NUL.
///
/// Text without a NUL inside is given by its end, which SQLite then copies, too. Otherwise it has to move its copy to
/// put one there as soon as the text is read.
static inline void sluice_result_text(sqlite3_context *context, const char *text, uint64_t count) {
  if (count < INT32_MAX && strlen(text) == count)
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
  else
    sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
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

/// The name under which values of Swift travel through SQLite; C code that does not know it cannot reach them.
#define SLUICE_OBJECT "Swift"

/// Binds a value of Swift, which is NULL to SQL; `release` is called in any case, be it with an error.
static inline int sluice_bind_object(sqlite3_stmt *statement, int index, void *object,
                                     void (*release)(void *)) {
  return sqlite3_bind_pointer(statement, index, object, SLUICE_OBJECT, release);
}

/// Answers with a value of Swift, which is NULL to SQL.
static inline void sluice_result_object(sqlite3_context *context, void *object,
                                        void (*release)(void *)) {
  sqlite3_result_pointer(context, object, SLUICE_OBJECT, release);
}

/// The value of Swift that travels as `value`, or null.
static inline void *sluice_value_object(sqlite3_value *value) {
  return sqlite3_value_pointer(value, SLUICE_OBJECT);
}

/// A cursor over a table, with room for a value of Swift.
typedef struct {
  sqlite3_vtab_cursor base;
  void *object;
  int64_t position;
} sluice_cursor;

/// A virtual table, with room for a value of Swift.
typedef struct {
  sqlite3_vtab base;
  void *object;
} sluice_table;

/// A file of a virtual file system, with room for a value of Swift.
typedef struct {
  sqlite3_file base;
  void *object;
} sluice_file;

/// Counts the calls of file systems in Swift that the calling thread is in the middle of.
void sluice_enter_file_system(int change);

/// Whether the calling thread is in the middle of such a call.
int sluice_is_in_file_system(void);

/// Counts the monitors that the calling thread is in the middle of telling of something.
void sluice_enter_monitor(int change);

/// Whether the calling thread is in the middle of that.
int sluice_is_in_monitor(void);

/// Notes whether the path that a file system has looked up last on this thread leads over a symbolic link.
void sluice_note_symbolic_link(int is_link);

/// The notes about the path that this thread looked up last.
int sluice_saw_symbolic_link(void);

/// Keeps what went wrong in such a call on this thread, and writes it into the log; the first counts.
void sluice_keep_failure(int code, const char *message);

/// The details of a failure of this kind, to be read at once, or null. Reading forgets them.
const char *sluice_take_failure(int code);

/// Looks whether a virtual table is in order; null says that it is.
typedef int sluice_integrity(sqlite3_vtab *table, const char *schema, const char *name, int flags,
                             char **message);

/// A module of virtual tables as SQLite has it from 3.44 on, whichever header there is.
typedef struct {
  sqlite3_module base;
#if SQLITE_VERSION_NUMBER < 3044000
  sluice_integrity *xIntegrity;
#endif
} sluice_module;

static inline void sluice_set_integrity(sluice_module *module, sluice_integrity *integrity) {
#if SQLITE_VERSION_NUMBER < 3044000
  module->xIntegrity = integrity;
#else
  module->base.xIntegrity = integrity;
#endif
}

/// Somebody who is told of forks.
struct sluice_fork_watch;

/// Has `tell` called in each process that is forked from this one, before anything else happens there; null if memory
/// is short.
struct sluice_fork_watch *sluice_watch_forks(void *owner, void (*tell)(void *owner));

/// Ends that; null does nothing.
void sluice_forget_forks(struct sluice_fork_watch *watch);

/// Configures the virtual table that is being made; the value counts only where there is one.
int sluice_vtab_config(sqlite3 *connection, int operation, int value);

/// Memory of SQLite's with nothing but zeros; null if memory is short.
void *sluice_allocate(uint64_t size);

/// A copy of `message` for SQLite to free; null if memory is short.
char *sluice_message(const char *message);

/// Sets a switch of a connection, 1 for on, 0 for off, -1 to leave it, and tells what it is now.
///
/// The operation must be one that takes these arguments.
int sluice_db_config(sqlite3 *connection, int operation, int value, int *now);

/// Has `log` called for each message of SQLite's log; SQLITE_MISUSE if SQLite has started.
int sluice_config_log(void (*log)(void *argument, int code, const char *message), void *argument);

/// Sets what holds for all connections together, by one or two numbers; SQLITE_MISUSE if SQLite has started.
int sluice_config_int(int operation, int value);
int sluice_config_ints(int operation, int first, int second);
int sluice_config_int64(int operation, int64_t value);
int sluice_config_int64s(int operation, int64_t first, int64_t second);

/// Writes a message into SQLite's log.
void sluice_log(int code, const char *message);

/// The API of FTS5 for a connection; null if it has no FTS5, with or without an error.
int sluice_fts5(sqlite3 *connection, fts5_api **api);

#endif
