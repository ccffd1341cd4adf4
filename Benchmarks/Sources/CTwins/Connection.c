#include "CTwins.h"

int twin_open(sqlite3 **connection) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  return sqlite3_open_v2(":memory:", connection, flags, NULL);
}
