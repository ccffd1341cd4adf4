// Prints which functions that builds of SQLite may lack are there. With SLUICE_LOOKUP, the functions are looked up as on
// Apple's systems.
#include "CSluice.h"

int main(void) {
  sqlite3 *connection;
  if (sqlite3_open(":memory:", &connection) != SQLITE_OK) return 1;
  sqlite3_int64 now = 0, most = 0;
  char *message = 0;
  printf("status %d\n", sluice_db_status(connection, SQLITE_DBSTATUS_SCHEMA_USED, &now, &most, 0));
  printf("extension %d\n", sluice_load_extension(connection, "/nowhere/extension.so", 0, &message));
  printf("unlock %d\n", sluice_unlock_notify(connection, 0, 0));
  printf("has %d %d %d %d\n", sluice_has_encryption(), sluice_has_loadable_extensions(), sluice_has_scan_status(),
         sluice_has_unlock_notify());
  sqlite3_free(message);
  return sqlite3_close(connection);
}
