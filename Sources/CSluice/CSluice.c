#include "CSluice.h"

#include <string.h>

/* An undefined weak reference links everywhere, and is null where the linked SQLite lacks it. */
#ifdef __APPLE__
#define SLUICE_WEAK __attribute__((weak_import))
#else
#define SLUICE_WEAK __attribute__((weak))
#endif

extern int sqlite3_error_offset(sqlite3 *connection) SLUICE_WEAK;

int sluice_error_offset(sqlite3 *connection) {
  return sqlite3_error_offset ? sqlite3_error_offset(connection) : -1;
}

int sluice_db_config(sqlite3 *connection, int operation, int value, int *now) {
  return sqlite3_db_config(connection, operation, value, now);
}

void *sluice_allocate(uint64_t size) {
  void *memory = sqlite3_malloc64(size);
  if (memory) memset(memory, 0, size);
  return memory;
}

char *sluice_message(const char *message) { return sqlite3_mprintf("%s", message); }
