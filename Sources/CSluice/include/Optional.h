#ifndef CSLUICE_OPTIONAL_H
#define CSLUICE_OPTIONAL_H

#include <sqlite3.h>

/* Functions that some builds of SQLite lack, linked as weak symbols. If the linked SQLite lacks a function, the wrapper
 * that is declared here returns SQLITE_NOTFOUND, or null if it returns a pointer. */

/// Returns whether the linked SQLite has the functions of a capability.
int sluice_has_column_metadata(void);
int sluice_has_encryption(void);
int sluice_has_error_offset(void);
int sluice_has_interrupt_state(void);
int sluice_has_loadable_extensions(void);
int sluice_has_normalized_sql(void);
int sluice_has_pre_update_hook(void);
int sluice_has_scan_status(void);
int sluice_has_serialization(void);
int sluice_has_sessions(void);
int sluice_has_snapshots(void);
int sluice_has_unlock_notify(void);

/// `sqlite3_compileoption_get`
const char *sluice_compileoption_get(int index);
/// `sqlite3_compileoption_used`
int sluice_compileoption_used(const char *name);

/// `sqlite3_error_offset`, or -1 if SQLite is older than 3.38.
int sluice_error_offset(sqlite3 *connection);

/// `sqlite3_db_name`, or null if SQLite is older than 3.39.
const char *sluice_db_name(sqlite3 *connection, int index);

/// `sqlite3_is_interrupted`, or 0 if SQLite is older than 3.41.
int sluice_is_interrupted(sqlite3 *connection);

/// `sqlite3_db_status64`, or `sqlite3_db_status` if SQLite is older than 3.51.
int sluice_db_status(sqlite3 *connection, int counter, sqlite3_int64 *current, sqlite3_int64 *highwater, int reset);

/// `sqlite3_column_database_name`
const char *sluice_column_database_name(sqlite3_stmt *statement, int index);
/// `sqlite3_column_table_name`
const char *sluice_column_table_name(sqlite3_stmt *statement, int index);
/// `sqlite3_column_origin_name`
const char *sluice_column_origin_name(sqlite3_stmt *statement, int index);

/// `sqlite3_normalized_sql`
const char *sluice_normalized_sql(sqlite3_stmt *statement);

/// `sqlite3_stmt_scanstatus`
int sluice_stmt_scanstatus(sqlite3_stmt *statement, int index, int operation, void *result);
/// `sqlite3_stmt_scanstatus_reset`
void sluice_stmt_scanstatus_reset(sqlite3_stmt *statement);

/// `sqlite3_vtab_distinct`, or 0 if SQLite is older than 3.38.
int sluice_vtab_distinct(sqlite3_index_info *plan);
/// `sqlite3_vtab_in`, or 0 if SQLite is older than 3.38.
int sluice_vtab_in(sqlite3_index_info *plan, int index, int wanted);
/// `sqlite3_vtab_rhs_value`
int sluice_vtab_rhs_value(sqlite3_index_info *plan, int index, sqlite3_value **value);
/// `sqlite3_vtab_in_first`
int sluice_vtab_in_first(sqlite3_value *list, sqlite3_value **value);
/// `sqlite3_vtab_in_next`
int sluice_vtab_in_next(sqlite3_value *list, sqlite3_value **value);

/// `sqlite3_rtree_query_callback`; `release` is always called, even after an error.
int sluice_rtree_query_callback(sqlite3 *connection, const char *name,
                                int (*query)(sqlite3_rtree_query_info *), void *context,
                                void (*release)(void *));

/// `sqlite3_serialize`
unsigned char *sluice_serialize(sqlite3 *connection, const char *schema, sqlite3_int64 *size, unsigned flags);
/// `sqlite3_deserialize`
int sluice_deserialize(sqlite3 *connection, const char *schema, unsigned char *bytes, sqlite3_int64 size,
                       sqlite3_int64 capacity, unsigned flags);

/// `sqlite3_load_extension`
int sluice_load_extension(sqlite3 *connection, const char *file, const char *entry_point, char **message);

/// `sqlite3_snapshot_get`, which writes into the caller's memory, so that there is nothing to free.
int sluice_snapshot_get(sqlite3 *connection, const char *schema, void *snapshot);
/// `sqlite3_snapshot_open`
int sluice_snapshot_open(sqlite3 *connection, const char *schema, const void *snapshot);
/// `sqlite3_snapshot_cmp`, or 0 if SQLite lacks that function.
int sluice_snapshot_compare(const void *first, const void *second);
/// `sqlite3_snapshot_recover`
int sluice_snapshot_recover(sqlite3 *connection, const char *schema);

/// The callback of `sqlite3_preupdate_hook`.
typedef void (*sluice_preupdate)(void *argument, sqlite3 *connection, int operation, const char *schema,
                                 const char *table, sqlite3_int64 old_key, sqlite3_int64 new_key);
/// `sqlite3_preupdate_hook`
void *sluice_preupdate_hook(sqlite3 *connection, sluice_preupdate hook, void *argument);
/// `sqlite3_preupdate_old`
int sluice_preupdate_old(sqlite3 *connection, int index, sqlite3_value **value);
/// `sqlite3_preupdate_new`
int sluice_preupdate_new(sqlite3 *connection, int index, sqlite3_value **value);
/// `sqlite3_preupdate_count`, or 0 if SQLite lacks that function.
int sluice_preupdate_count(sqlite3 *connection);
/// `sqlite3_preupdate_depth`, or 0 if SQLite lacks that function.
int sluice_preupdate_depth(sqlite3 *connection);
/// `sqlite3_preupdate_blobwrite`, or -1 if SQLite lacks that function.
int sluice_preupdate_blobwrite(sqlite3 *connection);

/// `sqlite3_unlock_notify`
int sluice_unlock_notify(sqlite3 *connection, void (*notify)(void **arguments, int count), void *argument);

/// `sqlite3_key` for the main database.
int sluice_key(sqlite3 *connection, const void *key, int count);
/// `sqlite3_rekey` for the main database.
int sluice_rekey(sqlite3 *connection, const void *key, int count);

#endif
