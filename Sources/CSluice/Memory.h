#ifndef CSLUICE_MEMORY_H
#define CSLUICE_MEMORY_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>

#include "Weak.h"

/* An allocator for SQLite that fails on request. */

SLUICE_SHARED sqlite3_mem_methods sluice_memory = {0};
SLUICE_SHARED atomic_int_fast64_t sluice_memory_due = 0;
SLUICE_SHARED atomic_int_fast64_t sluice_memory_allocations = 0;
SLUICE_SHARED atomic_int_fast64_t sluice_memory_failures = 0;
SLUICE_SHARED atomic_int sluice_memory_fails_for_ever = 0;

static inline int sluice_memory_is_short(void) {
  int64_t number = atomic_fetch_add(&sluice_memory_allocations, 1) + 1;
  int64_t first = atomic_load(&sluice_memory_due);
  if (first == 0 || number < first || (number > first && !atomic_load(&sluice_memory_fails_for_ever))) return 0;
  atomic_fetch_add(&sluice_memory_failures, 1);
  return 1;
}

static inline void *sluice_memory_allocate(int count) {
  return sluice_memory_is_short() ? 0 : sluice_memory.xMalloc(count);
}

static inline void *sluice_memory_reallocate(void *memory, int count) {
  return sluice_memory_is_short() ? 0 : sluice_memory.xRealloc(memory, count);
}

/// Installs the allocator in SQLite; returns SQLITE_MISUSE if SQLite has started.
static inline int sluice_config_failing_memory(void) {
  if (sluice_memory.xMalloc) return SQLITE_OK;
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sluice_memory);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = sluice_memory;
  methods.xMalloc = sluice_memory_allocate;
  methods.xRealloc = sluice_memory_reallocate;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  if (code != SQLITE_OK) sluice_memory.xMalloc = 0;
  return code;
}

/// Makes the allocation with this number fail; 0 makes no allocation fail.
///
/// Allocations are counted from now on, starting at 1. If `is_for_ever` is not 0, all later allocations also fail.
static inline void sluice_fail_allocation(int64_t number, int is_for_ever) {
  atomic_store(&sluice_memory_due, 0);
  atomic_store(&sluice_memory_allocations, 0);
  atomic_store(&sluice_memory_failures, 0);
  atomic_store(&sluice_memory_fails_for_ever, is_for_ever);
  atomic_store(&sluice_memory_due, number);
}

/// Returns the number of allocations that were requested since the last call of `sluice_fail_allocation`.
static inline int64_t sluice_allocations(void) { return atomic_load(&sluice_memory_allocations); }

/// Returns the number of allocations that failed since the last call of `sluice_fail_allocation`.
static inline int64_t sluice_failed_allocations(void) { return atomic_load(&sluice_memory_failures); }

#endif
