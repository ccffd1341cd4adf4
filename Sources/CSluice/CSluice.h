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

#include "Forks.h"
#include "Memory.h"
#include "Optional.h"
#include "Sessions.h"
#include "Threads.h"

/* Wrappers for macros and variadic functions, which Swift cannot call; Optional.h wraps functions that builds may lack. */

/// Returns a number that identifies the calling thread among all living threads; never 0.
static inline uintptr_t sluice_current_thread(void) {
#if defined(__GLIBC__) && defined(__x86_64__)
  // Read the value of pthread_self without a call, because each access to a queue needs it several times.
  uintptr_t thread;
  __asm__ volatile("mov %%fs:0x10, %0" : "=r"(thread));
  return thread;
#else
  return (uintptr_t)pthread_self();
#endif
}

struct sluice_call {
  void (*body)(void *context);
  void *context;
};

static inline void *sluice_perform_call(void *call) {
  struct sluice_call *it = call;
  it->body(it->context);
  return 0;
}

/// Calls `body` on a new thread whose stack has this size in bytes, and waits for it; returns 0, or an error of pthread.
static inline int sluice_call_on_stack(size_t size, void (*body)(void *context), void *context) {
  struct sluice_call call = {body, context};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setstacksize(&attributes, size);
  if (error == 0) error = pthread_create(&thread, &attributes, sluice_perform_call, &call);
  pthread_attr_destroy(&attributes);
  return error == 0 ? pthread_join(thread, 0) : error;
}

/// A mutex that a running thread can acquire before threads that are already waiting.
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
  // A thread that finds the mutex locked spins for a microsecond before it sleeps, because most locks are held for
  // less time.
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

/// Returns the size of a file in bytes; -1 if the file does not exist.
static inline int64_t sluice_file_size(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

/// Gets the device number and inode number of a file; returns false if the file does not exist.
static inline _Bool sluice_file_identity(const char *path, uint64_t *device, uint64_t *number) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  *device = (uint64_t)status.st_dev;
  *number = (uint64_t)status.st_ino;
  return 1;
}

/// Returns whether a file is a named pipe, whose opening waits for another program.
static inline _Bool sluice_is_pipe(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Compares the bytes at two addresses, and returns 0 if they are equal.
static inline int sluice_compare(const void *first, const void *second, size_t count) {
  return memcmp(first, second, count);
}

/* Functions that read a row or the arguments of an SQL function, inlined into every module that uses them. */

/// Returns the value in a column, which is valid until the statement is stepped or reset.
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
/// Returns the number of bytes of the text or blob that was just read from the value.
static inline int sluice_count(sqlite3_value *value) { return sqlite3_value_bytes(value); }

/// Binds text, which SQLite copies before the function returns.
static inline int sluice_bind_text(sqlite3_stmt *statement, int index, const void *text,
                                   uint64_t count) {
  return sqlite3_bind_text64(statement, index, (const char *)text, count, SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

/// Binds text without a copy; the text must remain valid until another value is bound.
static inline int sluice_bind_kept_text(sqlite3_stmt *statement, int index, const void *text,
                                        int count) {
  return sqlite3_bind_text(statement, index, (const char *)text, count, SQLITE_STATIC);
}

/// Binds bytes, which SQLite copies before the function returns.
///
/// If the count is 0, an empty blob is bound, and the address is ignored.
static inline int sluice_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                   uint64_t count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Sets the result of an SQL function to text, which SQLite copies before this function returns.
///
/// A NUL must follow the text. If the text itself contains no NUL, it is passed to SQLite as NUL-terminated text,
/// so that SQLite's copy includes the NUL. Otherwise, SQLite must move its copy to append a NUL when the text is
/// read.
static inline void sluice_result_text(sqlite3_context *context, const char *text, uint64_t count) {
  if (count < INT32_MAX && strlen(text) == count)
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
  else
    sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Sets the result of an SQL function to bytes, which SQLite copies before this function returns.
///
/// If the count is 0, the result is an empty blob, and the address is ignored.
static inline void sluice_result_blob(sqlite3_context *context, const void *bytes, uint64_t count) {
  if (count == 0)
    sqlite3_result_zeroblob(context, 0);
  else
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

/// Sets the result of an SQL function to an error with this message, which SQLite copies.
static inline void sluice_result_error(sqlite3_context *context, const void *message, int count) {
  sqlite3_result_error(context, count == 0 ? "" : (const char *)message, count);
}

/// The pointer type of Swift values that SQLite passes along; other C code cannot access them without this name.
#define SLUICE_OBJECT "Swift"

/// Binds a Swift value, which SQL treats as NULL; `release` is always called, even after an error.
static inline int sluice_bind_object(sqlite3_stmt *statement, int index, void *object,
                                     void (*release)(void *)) {
  return sqlite3_bind_pointer(statement, index, object, SLUICE_OBJECT, release);
}

/// Sets the result of an SQL function to a Swift value, which SQL treats as NULL.
static inline void sluice_result_object(sqlite3_context *context, void *object,
                                        void (*release)(void *)) {
  sqlite3_result_pointer(context, object, SLUICE_OBJECT, release);
}

/// Returns the Swift value in `value`; null if there is none.
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

/// Checks the integrity of a virtual table; a null message means that the table is intact.
typedef int sluice_integrity(sqlite3_vtab *table, const char *schema, const char *name, int flags,
                             char **message);

/// A virtual table module in the layout of SQLite 3.44 and later, even if the header is older.
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

/// Configures the virtual table that is being created; operations without a value ignore `value`.
static inline int sluice_vtab_config(sqlite3 *connection, int operation, int value) {
  return sqlite3_vtab_config(connection, operation, value);
}

/// Allocates zeroed memory with SQLite's allocator; returns null if there is not enough memory.
static inline void *sluice_allocate(uint64_t size) {
  void *memory = sqlite3_malloc64(size);
  if (memory) memset(memory, 0, size);
  return memory;
}

/// Returns a copy of `message` that SQLite frees; null if there is not enough memory.
static inline char *sluice_message(const char *message) { return sqlite3_mprintf("%s", message); }

/// Sets a Boolean option of a connection (1 for on, 0 for off, -1 for no change), and reports its current value.
///
/// The operation must be one that expects these arguments.
static inline int sluice_db_config(sqlite3 *connection, int operation, int value, int *now) {
  return sqlite3_db_config(connection, operation, value, now);
}

/// Registers `log`, which is called for each message in SQLite's log; returns SQLITE_MISUSE if SQLite has
/// started.
static inline int sluice_config_log(void (*log)(void *, int, const char *), void *argument) {
  return sqlite3_config(SQLITE_CONFIG_LOG, log, argument);
}

/// Changes a global setting with one or two numbers; returns SQLITE_MISUSE if SQLite has started.
static inline int sluice_config_int(int operation, int value) { return sqlite3_config(operation, value); }
static inline int sluice_config_ints(int operation, int first, int second) {
  return sqlite3_config(operation, first, second);
}
static inline int sluice_config_int64(int operation, int64_t value) {
  return sqlite3_config(operation, (sqlite3_int64)value);
}
static inline int sluice_config_int64s(int operation, int64_t first, int64_t second) {
  return sqlite3_config(operation, (sqlite3_int64)first, (sqlite3_int64)second);
}

/// Writes a message to SQLite's log.
static inline void sluice_log(int code, const char *message) { sqlite3_log(code, "%s", message); }

/// Gets the FTS5 API of a connection; null if FTS5 is not available, with or without an error code.
static inline int sluice_fts5(sqlite3 *connection, fts5_api **api) {
  sqlite3_stmt *statement = 0;
  *api = 0;
  int code = sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  return sqlite3_finalize(statement);
}

#endif
