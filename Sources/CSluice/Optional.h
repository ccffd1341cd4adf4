#ifndef CSLUICE_OPTIONAL_H
#define CSLUICE_OPTIONAL_H

#include <sqlite3.h>
#include <string.h>

#include "Weak.h"

/* Functions that some builds of SQLite lack. If the linked SQLite lacks a function, its wrapper returns SQLITE_NOTFOUND,
 * or null if it returns a pointer. */

SLUICE_LOOKED_UP(sqlite3_unlock_notify)
#if __has_include(<csqlite_shims.h>)
SLUICE_LINKED(sqlite3_db_status64)
SLUICE_LINKED(sqlite3_load_extension)
// The SQLite of the package CSQLite, as the trait BundledSQLite compiles it, lacks these functions.
SLUICE_LOOKED_UP(sqlite3_key)
SLUICE_LOOKED_UP(sqlite3_rekey)
SLUICE_LOOKED_UP(sqlite3_stmt_scanstatus)
SLUICE_LOOKED_UP(sqlite3_stmt_scanstatus_reset)
#else
// The stubs of Apple's SQLite lack these functions; older ones lack sqlite3_db_status64.
SLUICE_LOOKED_UP(sqlite3_db_status64)
SLUICE_LOOKED_UP(sqlite3_load_extension)
SLUICE_LINKED(sqlite3_key)
SLUICE_LINKED(sqlite3_rekey)
SLUICE_LINKED(sqlite3_stmt_scanstatus)
SLUICE_LINKED(sqlite3_stmt_scanstatus_reset)
#endif

/* A capability is recognized by one of its SQLite functions. The function is declared here with another name and
 * type, so that it does not matter whether SQLite's header also declares it. */
#define SLUICE_HAS(capability, function)                                          \
  extern void sluice_symbol_##function(void) SLUICE_SYMBOL(function) SLUICE_WEAK; \
  static inline int sluice_has_##capability(void) { return sluice_symbol_##function != 0; }

/// Returns whether the linked SQLite has the functions of a capability.
SLUICE_HAS(column_metadata, sqlite3_column_origin_name)
SLUICE_HAS(error_offset, sqlite3_error_offset)
SLUICE_HAS(interrupt_state, sqlite3_is_interrupted)
SLUICE_HAS(normalized_sql, sqlite3_normalized_sql)
SLUICE_HAS(pre_update_hook, sqlite3_preupdate_hook)
SLUICE_HAS(serialization, sqlite3_serialize)
SLUICE_HAS(sessions, sqlite3session_create)
SLUICE_HAS(snapshots, sqlite3_snapshot_get)
static inline int sluice_has_encryption(void) { return sluice_find_sqlite3_key() != 0; }
static inline int sluice_has_loadable_extensions(void) { return sluice_find_sqlite3_load_extension() != 0; }
static inline int sluice_has_scan_status(void) { return sluice_find_sqlite3_stmt_scanstatus() != 0; }
static inline int sluice_has_unlock_notify(void) { return sluice_find_sqlite3_unlock_notify() != 0; }

#ifndef SQLITE_OMIT_COMPILEOPTION_DIAGS
extern const char *sqlite3_compileoption_get(int index) SLUICE_WEAK;
extern int sqlite3_compileoption_used(const char *name) SLUICE_WEAK;
#endif

/// `sqlite3_compileoption_get`
static inline const char *sluice_compileoption_get(int index) {
#ifndef SQLITE_OMIT_COMPILEOPTION_DIAGS
  if (sqlite3_compileoption_get) return sqlite3_compileoption_get(index);
#endif
  return 0;
}

/// `sqlite3_compileoption_used`
static inline int sluice_compileoption_used(const char *name) {
#ifndef SQLITE_OMIT_COMPILEOPTION_DIAGS
  if (sqlite3_compileoption_used) return sqlite3_compileoption_used(name);
#endif
  return 0;
}

extern int sqlite3_error_offset(sqlite3 *connection) SLUICE_WEAK;

/// `sqlite3_error_offset`, or -1 if SQLite is older than 3.38.
static inline int sluice_error_offset(sqlite3 *connection) {
  return sqlite3_error_offset ? sqlite3_error_offset(connection) : -1;
}

extern const char *sqlite3_db_name(sqlite3 *connection, int index) SLUICE_WEAK;

/// `sqlite3_db_name`, or null if SQLite is older than 3.39.
static inline const char *sluice_db_name(sqlite3 *connection, int index) {
  return sqlite3_db_name ? sqlite3_db_name(connection, index) : 0;
}

extern int sqlite3_is_interrupted(sqlite3 *connection) SLUICE_WEAK;

/// `sqlite3_is_interrupted`, or 0 if SQLite is older than 3.41.
static inline int sluice_is_interrupted(sqlite3 *connection) {
  return sqlite3_is_interrupted ? sqlite3_is_interrupted(connection) : 0;
}

/// `sqlite3_db_status64`, or `sqlite3_db_status` if SQLite is older than 3.51.
static inline int sluice_db_status(sqlite3 *connection, int counter, sqlite3_int64 *current, sqlite3_int64 *highwater, int reset) {
  int (*function)(sqlite3 *, int, sqlite3_int64 *, sqlite3_int64 *, int) = sluice_find_sqlite3_db_status64();
  if (function) return function(connection, counter, current, highwater, reset);
  int now = 0, most = 0;
  int code = sqlite3_db_status(connection, counter, &now, &most, reset);
  *current = now;
  *highwater = most;
  return code;
}

extern const char *sqlite3_column_database_name(sqlite3_stmt *statement, int index) SLUICE_WEAK;
extern const char *sqlite3_column_table_name(sqlite3_stmt *statement, int index) SLUICE_WEAK;
extern const char *sqlite3_column_origin_name(sqlite3_stmt *statement, int index) SLUICE_WEAK;

/// `sqlite3_column_database_name`
static inline const char *sluice_column_database_name(sqlite3_stmt *statement, int index) {
  return sqlite3_column_database_name ? sqlite3_column_database_name(statement, index) : 0;
}

/// `sqlite3_column_table_name`
static inline const char *sluice_column_table_name(sqlite3_stmt *statement, int index) {
  return sqlite3_column_table_name ? sqlite3_column_table_name(statement, index) : 0;
}

/// `sqlite3_column_origin_name`
static inline const char *sluice_column_origin_name(sqlite3_stmt *statement, int index) {
  return sqlite3_column_origin_name ? sqlite3_column_origin_name(statement, index) : 0;
}

extern const char *sqlite3_normalized_sql(sqlite3_stmt *statement) SLUICE_WEAK;

/// `sqlite3_normalized_sql`
static inline const char *sluice_normalized_sql(sqlite3_stmt *statement) {
  return sqlite3_normalized_sql ? sqlite3_normalized_sql(statement) : 0;
}

/// `sqlite3_stmt_scanstatus`
static inline int sluice_stmt_scanstatus(sqlite3_stmt *statement, int index, int operation, void *result) {
  int (*function)(sqlite3_stmt *, int, int, void *) = sluice_find_sqlite3_stmt_scanstatus();
  return function ? function(statement, index, operation, result) : SQLITE_NOTFOUND;
}

/// `sqlite3_stmt_scanstatus_reset`
static inline void sluice_stmt_scanstatus_reset(sqlite3_stmt *statement) {
  void (*function)(sqlite3_stmt *) = sluice_find_sqlite3_stmt_scanstatus_reset();
  if (function) function(statement);
}

extern int sqlite3_vtab_distinct(sqlite3_index_info *plan) SLUICE_WEAK;
extern int sqlite3_vtab_in(sqlite3_index_info *plan, int index, int wanted) SLUICE_WEAK;
extern int sqlite3_vtab_rhs_value(sqlite3_index_info *plan, int index, sqlite3_value **value)
    SLUICE_WEAK;
extern int sqlite3_vtab_in_first(sqlite3_value *list, sqlite3_value **value) SLUICE_WEAK;
extern int sqlite3_vtab_in_next(sqlite3_value *list, sqlite3_value **value) SLUICE_WEAK;

/// `sqlite3_vtab_distinct`, or 0 if SQLite is older than 3.38.
static inline int sluice_vtab_distinct(sqlite3_index_info *plan) {
  return sqlite3_vtab_distinct ? sqlite3_vtab_distinct(plan) : 0;
}

/// `sqlite3_vtab_in`, or 0 if SQLite is older than 3.38.
static inline int sluice_vtab_in(sqlite3_index_info *plan, int index, int wanted) {
  return sqlite3_vtab_in ? sqlite3_vtab_in(plan, index, wanted) : 0;
}

/// `sqlite3_vtab_rhs_value`
static inline int sluice_vtab_rhs_value(sqlite3_index_info *plan, int index, sqlite3_value **value) {
  return sqlite3_vtab_rhs_value ? sqlite3_vtab_rhs_value(plan, index, value) : SQLITE_NOTFOUND;
}

/// `sqlite3_vtab_in_first`
static inline int sluice_vtab_in_first(sqlite3_value *list, sqlite3_value **value) {
  return sqlite3_vtab_in_first ? sqlite3_vtab_in_first(list, value) : SQLITE_NOTFOUND;
}

/// `sqlite3_vtab_in_next`
static inline int sluice_vtab_in_next(sqlite3_value *list, sqlite3_value **value) {
  return sqlite3_vtab_in_next ? sqlite3_vtab_in_next(list, value) : SQLITE_NOTFOUND;
}

extern int sqlite3_rtree_query_callback(sqlite3 *connection, const char *name,
                                        int (*query)(sqlite3_rtree_query_info *), void *context,
                                        void (*release)(void *)) SLUICE_WEAK;

/// `sqlite3_rtree_query_callback`; `release` is always called, even after an error.
static inline int sluice_rtree_query_callback(sqlite3 *connection, const char *name,
                                int (*query)(sqlite3_rtree_query_info *), void *context,
                                void (*release)(void *)) {
  if (sqlite3_rtree_query_callback)
    return sqlite3_rtree_query_callback(connection, name, query, context, release);
  release(context);
  return SQLITE_NOTFOUND;
}

extern unsigned char *sqlite3_serialize(sqlite3 *connection, const char *schema, sqlite3_int64 *size,
                                        unsigned flags) SLUICE_WEAK;
extern int sqlite3_deserialize(sqlite3 *connection, const char *schema, unsigned char *bytes,
                               sqlite3_int64 size, sqlite3_int64 capacity, unsigned flags) SLUICE_WEAK;

/// `sqlite3_serialize`
static inline unsigned char *sluice_serialize(sqlite3 *connection, const char *schema, sqlite3_int64 *size, unsigned flags) {
  return sqlite3_serialize ? sqlite3_serialize(connection, schema, size, flags) : 0;
}

/// `sqlite3_deserialize`
static inline int sluice_deserialize(sqlite3 *connection, const char *schema, unsigned char *bytes, sqlite3_int64 size,
                       sqlite3_int64 capacity, unsigned flags) {
  if (sqlite3_deserialize) return sqlite3_deserialize(connection, schema, bytes, size, capacity, flags);
  if (flags & SQLITE_DESERIALIZE_FREEONCLOSE) sqlite3_free(bytes);
  return SQLITE_NOTFOUND;
}

/// `sqlite3_load_extension`
static inline int sluice_load_extension(sqlite3 *connection, const char *file, const char *entry_point, char **message) {
  int (*function)(sqlite3 *, const char *, const char *, char **) = sluice_find_sqlite3_load_extension();
  return function ? function(connection, file, entry_point, message) : SQLITE_NOTFOUND;
}

extern int sqlite3_snapshot_get(sqlite3 *connection, const char *schema, sqlite3_snapshot **snapshot) SLUICE_WEAK;
extern int sqlite3_snapshot_open(sqlite3 *connection, const char *schema, sqlite3_snapshot *snapshot) SLUICE_WEAK;
extern int sqlite3_snapshot_cmp(sqlite3_snapshot *first, sqlite3_snapshot *second) SLUICE_WEAK;
extern int sqlite3_snapshot_recover(sqlite3 *connection, const char *schema) SLUICE_WEAK;
extern void sqlite3_snapshot_free(sqlite3_snapshot *snapshot) SLUICE_WEAK;

/// `sqlite3_snapshot_get`, which writes into the caller's memory, so that there is nothing to free.
static inline int sluice_snapshot_get(sqlite3 *connection, const char *schema, void *snapshot) {
  if (!sqlite3_snapshot_get || !sqlite3_snapshot_free) return SQLITE_NOTFOUND;
  sqlite3_snapshot *made = 0;
  int code = sqlite3_snapshot_get(connection, schema, &made);
  if (code != SQLITE_OK) return code;
  memcpy(snapshot, made, sizeof *made);
  sqlite3_snapshot_free(made);
  return SQLITE_OK;
}

/// `sqlite3_snapshot_open`
static inline int sluice_snapshot_open(sqlite3 *connection, const char *schema, const void *snapshot) {
  if (!sqlite3_snapshot_open) return SQLITE_NOTFOUND;
  return sqlite3_snapshot_open(connection, schema, (sqlite3_snapshot *)snapshot);
}

/// `sqlite3_snapshot_cmp`, or 0 if SQLite lacks that function.
static inline int sluice_snapshot_compare(const void *first, const void *second) {
  if (!sqlite3_snapshot_cmp) return 0;
  return sqlite3_snapshot_cmp((sqlite3_snapshot *)first, (sqlite3_snapshot *)second);
}

/// `sqlite3_snapshot_recover`
static inline int sluice_snapshot_recover(sqlite3 *connection, const char *schema) {
  return sqlite3_snapshot_recover ? sqlite3_snapshot_recover(connection, schema) : SQLITE_NOTFOUND;
}

/// The callback of `sqlite3_preupdate_hook`.
typedef void (*sluice_preupdate)(void *argument, sqlite3 *connection, int operation, const char *schema,
                                 const char *table, sqlite3_int64 old_key, sqlite3_int64 new_key);
extern void *sqlite3_preupdate_hook(sqlite3 *connection, sluice_preupdate hook, void *argument) SLUICE_WEAK;
extern int sqlite3_preupdate_old(sqlite3 *connection, int index, sqlite3_value **value) SLUICE_WEAK;
extern int sqlite3_preupdate_new(sqlite3 *connection, int index, sqlite3_value **value) SLUICE_WEAK;
extern int sqlite3_preupdate_count(sqlite3 *connection) SLUICE_WEAK;
extern int sqlite3_preupdate_depth(sqlite3 *connection) SLUICE_WEAK;
extern int sqlite3_preupdate_blobwrite(sqlite3 *connection) SLUICE_WEAK;

/// `sqlite3_preupdate_hook`
static inline void *sluice_preupdate_hook(sqlite3 *connection, sluice_preupdate hook, void *argument) {
  return sqlite3_preupdate_hook ? sqlite3_preupdate_hook(connection, hook, argument) : 0;
}

/// `sqlite3_preupdate_old`
static inline int sluice_preupdate_old(sqlite3 *connection, int index, sqlite3_value **value) {
  return sqlite3_preupdate_old ? sqlite3_preupdate_old(connection, index, value) : SQLITE_NOTFOUND;
}

/// `sqlite3_preupdate_new`
static inline int sluice_preupdate_new(sqlite3 *connection, int index, sqlite3_value **value) {
  return sqlite3_preupdate_new ? sqlite3_preupdate_new(connection, index, value) : SQLITE_NOTFOUND;
}

/// `sqlite3_preupdate_count`, or 0 if SQLite lacks that function.
static inline int sluice_preupdate_count(sqlite3 *connection) {
  return sqlite3_preupdate_count ? sqlite3_preupdate_count(connection) : 0;
}

/// `sqlite3_preupdate_depth`, or 0 if SQLite lacks that function.
static inline int sluice_preupdate_depth(sqlite3 *connection) {
  return sqlite3_preupdate_depth ? sqlite3_preupdate_depth(connection) : 0;
}

/// `sqlite3_preupdate_blobwrite`, or -1 if SQLite lacks that function.
static inline int sluice_preupdate_blobwrite(sqlite3 *connection) {
  return sqlite3_preupdate_blobwrite ? sqlite3_preupdate_blobwrite(connection) : -1;
}

/// `sqlite3_unlock_notify`
static inline int sluice_unlock_notify(sqlite3 *connection, void (*notify)(void **arguments, int count), void *argument) {
  int (*function)(sqlite3 *, void (*)(void **, int), void *) = sluice_find_sqlite3_unlock_notify();
  return function ? function(connection, notify, argument) : SQLITE_NOTFOUND;
}

/// `sqlite3_key` for the main database.
static inline int sluice_key(sqlite3 *connection, const void *key, int count) {
  int (*function)(sqlite3 *, const void *, int) = sluice_find_sqlite3_key();
  return function ? function(connection, key, count) : SQLITE_NOTFOUND;
}

/// `sqlite3_rekey` for the main database.
static inline int sluice_rekey(sqlite3 *connection, const void *key, int count) {
  int (*function)(sqlite3 *, const void *, int) = sluice_find_sqlite3_rekey();
  return function ? function(connection, key, count) : SQLITE_NOTFOUND;
}

#endif
