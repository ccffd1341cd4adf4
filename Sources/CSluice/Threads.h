#ifndef CSLUICE_THREADS_H
#define CSLUICE_THREADS_H

#include <sqlite3.h>
#include <stdio.h>

#include "Weak.h"

/* The state of each thread. Its functions are never inlined: a task may resume on another thread, and must not use an
 * address that was computed on the previous one. */
#define SLUICE_OF_THREAD static __attribute__((noinline, unused))

SLUICE_SHARED _Thread_local int sluice_monitors = 0;

struct sluice_files {
  int depth;
  int is_link;
  int code;
  char message[500];
};

SLUICE_SHARED _Thread_local struct sluice_files sluice_files = {0};

/// Adds `change` to the number of calls to Swift file systems in progress on the calling thread.
SLUICE_OF_THREAD void sluice_enter_file_system(int change) { sluice_files.depth += change; }

/// Returns whether a call to a Swift file system is in progress on the calling thread.
SLUICE_OF_THREAD int sluice_is_in_file_system(void) { return sluice_files.depth > 0; }

/// Adds `change` to the number of monitors that the calling thread is notifying.
SLUICE_OF_THREAD void sluice_enter_monitor(int change) { sluice_monitors += change; }

/// Returns whether the calling thread is notifying a monitor.
SLUICE_OF_THREAD int sluice_is_in_monitor(void) { return sluice_monitors != 0; }

/// Records whether the last path that a file system resolved on this thread contains a symbolic link.
SLUICE_OF_THREAD void sluice_note_symbolic_link(int is_link) { sluice_files.is_link = is_link; }

/// Returns whether the last path that was resolved on this thread contains a symbolic link.
SLUICE_OF_THREAD int sluice_saw_symbolic_link(void) { return sluice_files.is_link; }

/// Logs the failure of a file system call, and stores it for this thread unless an earlier failure is stored.
SLUICE_OF_THREAD void sluice_keep_failure(int code, const char *message) {
  sqlite3_log(code, "%s", message);
  if (sluice_files.code != 0) return;
  sluice_files.code = code;
  snprintf(sluice_files.message, sizeof sluice_files.message, "%s", message);
}

/// Clears the stored failure, and returns its message if the failure belongs to `code`; otherwise returns null.
///
/// The failure belongs to `code` if both have the same primary result code.
///
/// Copy the message immediately: it is valid only until the next failure.
SLUICE_OF_THREAD const char *sluice_take_failure(int code) {
  int kept = sluice_files.code;
  sluice_files.code = 0;
  return kept != 0 && (kept & 0xff) == (code & 0xff) ? sluice_files.message : 0;
}

#endif
