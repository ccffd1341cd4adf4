#ifndef CTWINS_H
#define CTWINS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "Contention.h"

/* The workloads as a careful C programmer would write them: all result codes are checked, and nothing leaks. */

/// Opens an in-memory database without mutexes. Even if this fails, the connection must be closed.
int twin_open(sqlite3 **connection);

/// One side of a workload: does the work `count` times, and sets a checksum of the data.
typedef int twin_workload(sqlite3 *connection, int64_t count, int64_t *checksum);

twin_workload twin_insert;
twin_workload twin_inserted;
twin_workload twin_load;
twin_workload twin_loaded;
twin_workload twin_fetch;
twin_workload twin_visits;
twin_workload twin_records;
twin_workload twin_parcels;
twin_workload twin_wide_records;
twin_workload twin_point_query;
twin_workload twin_many_queries;
twin_workload twin_hot_queries;
twin_workload twin_blob_copied;
twin_workload twin_blob_in_place;
twin_workload twin_integer_function;
twin_workload twin_text_function;
twin_workload twin_two_texts_function;
twin_workload twin_aggregate;
twin_workload twin_series;
twin_workload twin_collation;
twin_workload twin_round_trip;
twin_workload twin_mix_reads;
twin_workload twin_mix_writes;
twin_workload twin_pool_read;
twin_workload twin_commits;
twin_workload twin_mixed;
twin_workload twin_backup;
twin_workload twin_export;
twin_workload twin_opened;
twin_workload twin_models_inserted;
twin_workload twin_models_updated;
twin_workload twin_model_by_key;
twin_workload twin_all_models;
twin_workload twin_models_written;

/// Callgrind counts the instructions between the calls of these functions and their returns.
void counted_c(void (*body)(void *), void *context);
void counted_sluice(void (*body)(void *), void *context);

#endif
