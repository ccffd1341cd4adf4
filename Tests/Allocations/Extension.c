#include "Extension.h"

#include <sqlite3.h>

static void half(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_double(context, sqlite3_value_double(values[0]) / 2);
}

int sqlite3_half_init(sqlite3 *connection, char **message, const sqlite3_api_routines *routines) {
  if (routines) return SQLITE_MISUSE;
  return sqlite3_create_function(connection, "half", 1, SQLITE_UTF8, 0, half, 0, 0);
}

int sqlite3_broken_init(sqlite3 *connection, char **message, int code) {
  if (message) *message = sqlite3_mprintf("half of it is missing");
  return code;
}

int sqlite3_typed_half_init(sqlite3 *connection, char **message, const int *routines) {
  return sqlite3_half_init(connection, message, (const sqlite3_api_routines *)routines);
}
