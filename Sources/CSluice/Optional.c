#include "Optional.h"

/* An undefined weak reference links everywhere, and is null where the linked SQLite lacks it. */
#ifdef __APPLE__
#define SLUICE_WEAK __attribute__((weak_import))
#else
#define SLUICE_WEAK __attribute__((weak))
#endif

extern const char *sqlite3_compileoption_get(int index) SLUICE_WEAK;

const char *sluice_compileoption_get(int index) {
  return sqlite3_compileoption_get ? sqlite3_compileoption_get(index) : 0;
}
