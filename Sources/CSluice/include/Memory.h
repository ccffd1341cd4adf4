#ifndef CSLUICE_MEMORY_H
#define CSLUICE_MEMORY_H

#include <stdint.h>

/* An allocator for SQLite that fails on request. */

/// Installs the allocator in SQLite; returns SQLITE_MISUSE if SQLite has started.
int sluice_config_failing_memory(void);

/// Makes the allocation with this number fail; 0 makes no allocation fail.
///
/// Allocations are counted from now on, starting at 1. If `is_for_ever` is not 0, all later allocations also fail.
void sluice_fail_allocation(int64_t number, int is_for_ever);

/// Returns the number of allocations that were requested since the last call of `sluice_fail_allocation`.
int64_t sluice_allocations(void);

/// Returns the number of allocations that failed since the last call of `sluice_fail_allocation`.
int64_t sluice_failed_allocations(void);

#endif
