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

/* Macros and variadic functions, which Swift cannot use. Functions that some builds of SQLite lack are in Optional.h. */

/// Returns a number for the calling thread that no other living thread has; never 0.
static inline uintptr_t sluice_current_thread(void) {
#if defined(__GLIBC__) && defined(__x86_64__)
  // The value of pthread_self, without the call: each access of a queue needs it several times.
  uintptr_t thread;
  __asm__ volatile("mov %%fs:0x10, %0" : "=r"(thread));
  return thread;
#else
  return (uintptr_t)pthread_self();
#endif
}

/// A mutex that a running thread can acquire before the threads that wait for it.
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
  // A thread that finds the mutex locked spins for a microsecond before it sleeps: most locks are held for less.
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

/// Returns the size of a file in bytes, or -1 if there is no file.
static inline int64_t sluice_file_size(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

/// Finds the device and the inode number of a file; returns false if there is no file.
static inline _Bool sluice_file_identity(const char *path, uint64_t *device, uint64_t *number) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  *device = (uint64_t)status.st_dev;
  *number = (uint64_t)status.st_ino;
  return 1;
}

/// Compares bytes, and returns 0 if they are equal.
static inline int sluice_compare(const void *first, const void *second, size_t count) {
  return memcmp(first, second, count);
}

/* Functions that read a row or the arguments of an SQL function, in any module into which that code is compiled. */

/// Returns the value in a column, which is valid until the statement moves on.
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
/// Returns the number of bytes in the text or blob that was read from the value immediately before.
static inline int sluice_count(sqlite3_value *value) { return sqlite3_value_bytes(value); }

/// Binds text, which SQLite copies before the function returns.
static inline int sluice_bind_text(sqlite3_stmt *statement, int index, const void *text,
                                   uint64_t count) {
  return sqlite3_bind_text64(statement, index, (const char *)text, count, SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

/// Binds text that SQLite does not copy, and that must stay in place until something else is bound.
static inline int sluice_bind_kept_text(sqlite3_stmt *statement, int index, const void *text,
                                        int count) {
  return sqlite3_bind_text(statement, index, (const char *)text, count, SQLITE_STATIC);
}

/// Binds bytes, which SQLite copies before the function returns.
///
/// A count of 0 binds an empty blob, and needs no address.
static inline int sluice_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                   uint64_t count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Sets the result of an SQL function to text, which SQLite copies before this function returns.
///
/// A NUL must follow the text. If the text itself contains no NUL, it is passed to SQLite as terminated text, so that
/// SQLite also copies the NUL. Otherwise, SQLite has to move its copy to append a NUL as soon as the text is read.
static inline void sluice_result_text(sqlite3_context *context, const char *text, uint64_t count) {
  if (count < INT32_MAX && strlen(text) == count)
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
  else
    sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Sets the result of an SQL function to bytes, which SQLite copies before this function returns.
///
/// A count of 0 sets an empty blob, and needs no address.
static inline void sluice_result_blob(sqlite3_context *context, const void *bytes, uint64_t count) {
  if (count == 0)
    sqlite3_result_zeroblob(context, 0);
  else
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

/// Sets the result of an SQL function to an error, whose message SQLite copies.
static inline void sluice_result_error(sqlite3_context *context, const void *message, int count) {
  sqlite3_result_error(context, count == 0 ? "" : (const char *)message, count);
}

/// The pointer type of Swift values that SQLite passes along; C code that does not know it cannot reach them.
#define SLUICE_OBJECT "Swift"

/// Binds a Swift value, which is NULL to SQL; `release` is always called, even after an error.
static inline int sluice_bind_object(sqlite3_stmt *statement, int index, void *object,
                                     void (*release)(void *)) {
  return sqlite3_bind_pointer(statement, index, object, SLUICE_OBJECT, release);
}

/// Sets the result of an SQL function to a Swift value, which is NULL to SQL.
static inline void sluice_result_object(sqlite3_context *context, void *object,
                                        void (*release)(void *)) {
  sqlite3_result_pointer(context, object, SLUICE_OBJECT, release);
}

/// Returns the Swift value that `value` carries, or null.
static inline void *sluice_value_object(sqlite3_value *value) {
  return sqlite3_value_pointer(value, SLUICE_OBJECT);
}

/// A cursor over a virtual table, with space for a Swift value.
typedef struct {
  sqlite3_vtab_cursor base;
  void *object;
  int64_t position;
} sluice_cursor;

/// A virtual table, with space for a Swift value.
typedef struct {
  sqlite3_vtab base;
  void *object;
} sluice_table;

/// A file of a virtual file system, with space for a Swift value.
typedef struct {
  sqlite3_file base;
  void *object;
} sluice_file;

/// Changes the number of calls to Swift file systems that are running on the calling thread.
void sluice_enter_file_system(int change);

/// Returns whether a call to a Swift file system is running on the calling thread.
int sluice_is_in_file_system(void);

/// Changes the number of monitors that the calling thread is notifying.
void sluice_enter_monitor(int change);

/// Returns whether the calling thread is notifying a monitor.
int sluice_is_in_monitor(void);

/// Notes whether the last path that a file system looked up on this thread contains a symbolic link.
void sluice_note_symbolic_link(int is_link);

/// Returns whether the last path that was looked up on this thread contains a symbolic link.
int sluice_saw_symbolic_link(void);

/// Logs the failure of a file system call on this thread, and keeps it unless an earlier failure is kept.
void sluice_keep_failure(int code, const char *message);

/// Returns the message of the kept failure if it is of this kind, or null; clears the kept failure.
///
/// The message must be read immediately.
const char *sluice_take_failure(int code);

/// Checks the integrity of a virtual table; a null message means that the table is intact.
typedef int sluice_integrity(sqlite3_vtab *table, const char *schema, const char *name, int flags,
                             char **message);

/// A module of virtual tables in the layout of SQLite 3.44 and later, regardless of the header's version.
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

/// The registration of a callback for forked processes.
struct sluice_fork_watch;

/// Registers `tell`, which is called in each process forked from this one, before anything else happens there.
///
/// Returns null if memory is short.
struct sluice_fork_watch *sluice_watch_forks(void *owner, void (*tell)(void *owner));

/// Removes a registration; null has no effect.
void sluice_forget_forks(struct sluice_fork_watch *watch);

/// Configures the virtual table that is being created; operations without a value ignore `value`.
int sluice_vtab_config(sqlite3 *connection, int operation, int value);

/// Allocates memory with SQLite, filled with zeros; returns null if memory is short.
void *sluice_allocate(uint64_t size);

/// Returns a copy of `message` that SQLite frees; null if memory is short.
char *sluice_message(const char *message);

/// Sets a switch of a connection (1 for on, 0 for off, -1 for no change), and reports its current value.
///
/// The operation must be one that takes these arguments.
int sluice_db_config(sqlite3 *connection, int operation, int value, int *now);

/// Registers `log`, which is called for each message of SQLite's log; SQLITE_MISUSE if SQLite has started.
int sluice_config_log(void (*log)(void *argument, int code, const char *message), void *argument);

/// Changes a setting of all connections with one or two numbers; SQLITE_MISUSE if SQLite has started.
int sluice_config_int(int operation, int value);
int sluice_config_ints(int operation, int first, int second);
int sluice_config_int64(int operation, int64_t value);
int sluice_config_int64s(int operation, int64_t first, int64_t second);

/// Writes a message to SQLite's log.
void sluice_log(int code, const char *message);

/// Gets the FTS5 API of a connection; null if the connection has no FTS5, with or without an error code.
int sluice_fts5(sqlite3 *connection, fts5_api **api);

#endif
