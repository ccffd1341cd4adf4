#ifndef CSLUICE_MEMORY_H
#define CSLUICE_MEMORY_H

#include <stdint.h>

/* An allocator for SQLite that fails on request. */

/// Installs the allocator in SQLite; returns SQLITE_MISUSE if SQLite has started.
int sluice_config_failing_memory(void);

/// Makes the allocation with this number fail; allocations are counted from now on, starting at 1. 0 stands for
/// none.
///
/// If `is_for_ever` is not 0, all later allocations also fail.
void sluice_fail_allocation(int64_t number, int is_for_ever);

/// Returns the number of allocations that were requested since the last call of `sluice_fail_allocation`.
int64_t sluice_allocations(void);

/// Returns the number of these allocations that failed.
int64_t sluice_failed_allocations(void);

#endif
