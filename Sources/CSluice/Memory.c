#include "Memory.h"

#include <sqlite3.h>
#include <stdatomic.h>

static sqlite3_mem_methods base;
static atomic_int_fast64_t due, allocations, failures;
static atomic_int for_ever;

static int is_short(void) {
  int64_t number = atomic_fetch_add(&allocations, 1) + 1;
  int64_t first = atomic_load(&due);
  if (first == 0 || number < first || (number > first && !atomic_load(&for_ever))) return 0;
  atomic_fetch_add(&failures, 1);
  return 1;
}

static void *allocate(int count) { return is_short() ? 0 : base.xMalloc(count); }

static void *reallocate(void *memory, int count) {
  return is_short() ? 0 : base.xRealloc(memory, count);
}

int sluice_config_failing_memory(void) {
  if (base.xMalloc) return SQLITE_OK;
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &base);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = base;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  if (code != SQLITE_OK) base.xMalloc = 0;
  return code;
}

void sluice_fail_allocation(int64_t number, int is_for_ever) {
  atomic_store(&due, 0);
  atomic_store(&allocations, 0);
  atomic_store(&failures, 0);
  atomic_store(&for_ever, is_for_ever);
  atomic_store(&due, number);
}

int64_t sluice_allocations(void) { return atomic_load(&allocations); }

int64_t sluice_failed_allocations(void) { return atomic_load(&failures); }
