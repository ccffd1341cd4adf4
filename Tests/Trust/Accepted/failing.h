// An allocator that fails at the allocation it is told to, for the programs beside it.
#define SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_SESSION
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_mem_methods base;
static long allocations, failing;
static int hasFailed;

static int fails(void) {
  if (++allocations != failing) return 0;
  return hasFailed = 1;
}

static void *allocate(int size) { return fails() ? NULL : base.xMalloc(size); }

static void *reallocate(void *memory, int size) {
  return fails() ? NULL : base.xRealloc(memory, size);
}

static void failAt(long number) {
  allocations = hasFailed = 0;
  failing = number;
}

static void install(void) {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &base);
  sqlite3_mem_methods methods = base;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
