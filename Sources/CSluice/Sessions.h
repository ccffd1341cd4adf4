#ifndef CSLUICE_SESSIONS_H
#define CSLUICE_SESSIONS_H

#include <sqlite3.h>

#include "Weak.h"

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

/* Declares an SQLite function as a weak symbol, and defines a function that calls it. */
#define SLUICE_FUNCTION(result, name, parameters, arguments, missing) \
  extern result sqlite3##name parameters SLUICE_WEAK;                 \
  static inline result sluice_##name parameters {                     \
    return sqlite3##name ? sqlite3##name arguments : missing;         \
  }

#define SLUICE_PROCEDURE(name, parameters, arguments) \
  extern void sqlite3##name parameters SLUICE_WEAK;   \
  static inline void sluice_##name parameters {       \
    if (sqlite3##name) sqlite3##name arguments;       \
  }

SLUICE_FUNCTION(int, session_create, (sqlite3 *connection, const char *schema,
                sqlite3_session **session), (connection, schema, session), SQLITE_NOTFOUND)
SLUICE_PROCEDURE(session_delete, (sqlite3_session *session), (session))
SLUICE_FUNCTION(int, session_object_config, (sqlite3_session *session, int operation,
                void *argument), (session, operation, argument), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_enable, (sqlite3_session *session, int value), (session, value),
                SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_indirect, (sqlite3_session *session, int value), (session, value),
                SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_attach, (sqlite3_session *session, const char *table), (session,
                table), SQLITE_NOTFOUND)
SLUICE_PROCEDURE(session_table_filter, (sqlite3_session *session, sluice_table_filter filter,
                 void *argument), (session, filter, argument))
SLUICE_FUNCTION(int, session_changeset, (sqlite3_session *session, int *count, void **bytes),
                (session, count, bytes), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_changeset_strm, (sqlite3_session *session, sluice_output output,
                void *argument), (session, output, argument), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_patchset, (sqlite3_session *session, int *count, void **bytes),
                (session, count, bytes), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_patchset_strm, (sqlite3_session *session, sluice_output output,
                void *argument), (session, output, argument), SQLITE_NOTFOUND)
SLUICE_FUNCTION(sqlite3_int64, session_changeset_size, (sqlite3_session *session), (session), 0)
SLUICE_FUNCTION(int, session_diff, (sqlite3_session *session, const char *from, const char *table,
                char **message), (session, from, table, message), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, session_isempty, (sqlite3_session *session), (session), SQLITE_NOTFOUND)
SLUICE_FUNCTION(sqlite3_int64, session_memory_used, (sqlite3_session *session), (session), 0)
SLUICE_FUNCTION(int, session_config, (int operation, void *argument), (operation, argument),
                SQLITE_NOTFOUND)

SLUICE_FUNCTION(int, changeset_start_v2, (sqlite3_changeset_iter **iterator, int count, void *bytes,
                int flags), (iterator, count, bytes, flags), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_start_v2_strm, (sqlite3_changeset_iter **iterator,
                sluice_input input, void *argument, int flags), (iterator, input, argument, flags),
                SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_next, (sqlite3_changeset_iter *iterator), (iterator),
                SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_op, (sqlite3_changeset_iter *iterator, const char **table,
                int *columns, int *operation, int *indirect), (iterator, table, columns, operation,
                indirect), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_pk, (sqlite3_changeset_iter *iterator, unsigned char **flags,
                int *columns), (iterator, flags, columns), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_old, (sqlite3_changeset_iter *iterator, int index,
                sqlite3_value **value), (iterator, index, value), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_new, (sqlite3_changeset_iter *iterator, int index,
                sqlite3_value **value), (iterator, index, value), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_conflict, (sqlite3_changeset_iter *iterator, int index,
                sqlite3_value **value), (iterator, index, value), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_fk_conflicts, (sqlite3_changeset_iter *iterator, int *count),
                (iterator, count), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_finalize, (sqlite3_changeset_iter *iterator), (iterator),
                SQLITE_NOTFOUND)

SLUICE_FUNCTION(int, changeset_invert, (int count, const void *bytes, int *result_count,
                void **result), (count, bytes, result_count, result), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_invert_strm, (sluice_input input, void *source, sluice_output output,
                void *argument), (input, source, output, argument), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_concat, (int count, void *bytes, int next_count, void *next,
                int *result_count, void **result), (count, bytes, next_count, next, result_count,
                result), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_concat_strm, (sluice_input input, void *source,
                sluice_input next_input, void *next_source, sluice_output output, void *argument),
                (input, source, next_input, next_source, output, argument), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_apply_v2, (sqlite3 *connection, int count, void *bytes,
                sluice_table_filter filter, sluice_conflict conflict, void *argument, void **rebase,
                int *rebase_count, int flags), (connection, count, bytes, filter, conflict,
                argument, rebase, rebase_count, flags), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changeset_apply_v2_strm, (sqlite3 *connection, sluice_input input,
                void *source, sluice_table_filter filter, sluice_conflict conflict, void *argument,
                void **rebase, int *rebase_count, int flags), (connection, input, source, filter,
                conflict, argument, rebase, rebase_count, flags), SQLITE_NOTFOUND)

SLUICE_FUNCTION(int, changegroup_new, (sqlite3_changegroup **group), (group), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changegroup_add, (sqlite3_changegroup *group, int count, void *bytes), (group,
                count, bytes), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changegroup_add_strm, (sqlite3_changegroup *group, sluice_input input,
                void *source), (group, input, source), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changegroup_output, (sqlite3_changegroup *group, int *count, void **bytes),
                (group, count, bytes), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, changegroup_output_strm, (sqlite3_changegroup *group, sluice_output output,
                void *argument), (group, output, argument), SQLITE_NOTFOUND)
SLUICE_PROCEDURE(changegroup_delete, (sqlite3_changegroup *group), (group))

SLUICE_FUNCTION(int, rebaser_create, (sqlite3_rebaser **rebaser), (rebaser), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, rebaser_configure, (sqlite3_rebaser *rebaser, int count, const void *rebase),
                (rebaser, count, rebase), SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, rebaser_rebase, (sqlite3_rebaser *rebaser, int count, const void *bytes,
                int *result_count, void **result), (rebaser, count, bytes, result_count, result),
                SQLITE_NOTFOUND)
SLUICE_FUNCTION(int, rebaser_rebase_strm, (sqlite3_rebaser *rebaser, sluice_input input,
                void *source, sluice_output output, void *argument), (rebaser, input, source,
                output, argument), SQLITE_NOTFOUND)
SLUICE_PROCEDURE(rebaser_delete, (sqlite3_rebaser *rebaser), (rebaser))

#endif
