#ifndef CSLUICE_MEMORY_H
#define CSLUICE_MEMORY_H

#include <stdint.h>

/* Memory of SQLite's that is short when it is told to be. */

/// Has SQLite allocate by way of what can fail; SQLITE_MISUSE if SQLite has started.
int sluice_config_failing_memory(void);

/// Lets the allocation of this number fail, from now on and from 1 on, and all that follow if it is for ever; 0 lets
/// none fail.
void sluice_fail_allocation(int64_t number, int is_for_ever);

/// How many allocations have been asked for since then.
int64_t sluice_allocations(void);

/// How many of them have failed.
int64_t sluice_failed_allocations(void);

#endif
