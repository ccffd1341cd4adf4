#ifndef CSLUICE_SESSIONS_H
#define CSLUICE_SESSIONS_H

#include <sqlite3.h>

/* The session functions, which return the same values as the functions in Optional.h if SQLite lacks them. Each calls
 * the SQLite function with the same name, but with "sqlite3" instead of "sluice_". SQLite's header declares the types
 * below only for builds with sessions, so they are declared here. */

typedef struct sqlite3_session sqlite3_session;
typedef struct sqlite3_changeset_iter sqlite3_changeset_iter;
typedef struct sqlite3_changegroup sqlite3_changegroup;
typedef struct sqlite3_rebaser sqlite3_rebaser;

/// A callback that returns whether a table is included.
typedef int (*sluice_table_filter)(void *argument, const char *table);
/// A callback that resolves a conflict.
typedef int (*sluice_conflict)(void *argument, int kind, sqlite3_changeset_iter *iterator);
/// A callback that writes up to `*count` bytes to `bytes`, and sets `*count` to the number of bytes written.
typedef int (*sluice_input)(void *argument, void *bytes, int *count);
/// A callback that receives `count` bytes.
typedef int (*sluice_output)(void *argument, const void *bytes, int count);

int sluice_session_create(sqlite3 *connection, const char *schema, sqlite3_session **session);
void sluice_session_delete(sqlite3_session *session);
int sluice_session_object_config(sqlite3_session *session, int operation, void *argument);
int sluice_session_enable(sqlite3_session *session, int value);
int sluice_session_indirect(sqlite3_session *session, int value);
int sluice_session_attach(sqlite3_session *session, const char *table);
void sluice_session_table_filter(sqlite3_session *session, sluice_table_filter filter,
                                 void *argument);
int sluice_session_changeset(sqlite3_session *session, int *count, void **bytes);
int sluice_session_changeset_strm(sqlite3_session *session, sluice_output output, void *argument);
int sluice_session_patchset(sqlite3_session *session, int *count, void **bytes);
int sluice_session_patchset_strm(sqlite3_session *session, sluice_output output, void *argument);
sqlite3_int64 sluice_session_changeset_size(sqlite3_session *session);
int sluice_session_diff(sqlite3_session *session, const char *from, const char *table,
                        char **message);
int sluice_session_isempty(sqlite3_session *session);
sqlite3_int64 sluice_session_memory_used(sqlite3_session *session);
int sluice_session_config(int operation, void *argument);

int sluice_changeset_start_v2(sqlite3_changeset_iter **iterator, int count, void *bytes, int flags);
int sluice_changeset_start_v2_strm(sqlite3_changeset_iter **iterator, sluice_input input,
                                   void *argument, int flags);
int sluice_changeset_next(sqlite3_changeset_iter *iterator);
int sluice_changeset_op(sqlite3_changeset_iter *iterator, const char **table, int *columns,
                        int *operation, int *indirect);
int sluice_changeset_pk(sqlite3_changeset_iter *iterator, unsigned char **flags, int *columns);
int sluice_changeset_old(sqlite3_changeset_iter *iterator, int index, sqlite3_value **value);
int sluice_changeset_new(sqlite3_changeset_iter *iterator, int index, sqlite3_value **value);
int sluice_changeset_conflict(sqlite3_changeset_iter *iterator, int index, sqlite3_value **value);
int sluice_changeset_fk_conflicts(sqlite3_changeset_iter *iterator, int *count);
int sluice_changeset_finalize(sqlite3_changeset_iter *iterator);

int sluice_changeset_invert(int count, const void *bytes, int *result_count, void **result);
int sluice_changeset_invert_strm(sluice_input input, void *source, sluice_output output,
                                 void *argument);
int sluice_changeset_concat(int count, void *bytes, int next_count, void *next, int *result_count,
                            void **result);
int sluice_changeset_concat_strm(sluice_input input, void *source, sluice_input next_input,
                                 void *next_source, sluice_output output, void *argument);
int sluice_changeset_apply_v2(sqlite3 *connection, int count, void *bytes,
                              sluice_table_filter filter, sluice_conflict conflict, void *argument,
                              void **rebase, int *rebase_count, int flags);
int sluice_changeset_apply_v2_strm(sqlite3 *connection, sluice_input input, void *source,
                                   sluice_table_filter filter, sluice_conflict conflict,
                                   void *argument, void **rebase, int *rebase_count, int flags);

int sluice_changegroup_new(sqlite3_changegroup **group);
int sluice_changegroup_add(sqlite3_changegroup *group, int count, void *bytes);
int sluice_changegroup_add_strm(sqlite3_changegroup *group, sluice_input input, void *source);
int sluice_changegroup_output(sqlite3_changegroup *group, int *count, void **bytes);
int sluice_changegroup_output_strm(sqlite3_changegroup *group, sluice_output output,
                                   void *argument);
void sluice_changegroup_delete(sqlite3_changegroup *group);

int sluice_rebaser_create(sqlite3_rebaser **rebaser);
int sluice_rebaser_configure(sqlite3_rebaser *rebaser, int count, const void *rebase);
int sluice_rebaser_rebase(sqlite3_rebaser *rebaser, int count, const void *bytes, int *result_count,
                          void **result);
int sluice_rebaser_rebase_strm(sqlite3_rebaser *rebaser, sluice_input input, void *source,
                               sluice_output output, void *argument);
void sluice_rebaser_delete(sqlite3_rebaser *rebaser);

#endif
