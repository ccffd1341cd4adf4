// Inserts into a full-text table, with each allocation failing in turn: afterwards no transaction should be open.
#include "failing.h"

int main(void) {
  install();
  printf("SQLite %s\n", sqlite3_libversion());
  for (long number = 1;; number++) {
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db, "CREATE VIRTUAL TABLE note USING fts5(a); INSERT INTO note VALUES ('a')", 0, 0, 0);
    failAt(number);
    int code = sqlite3_exec(db, "INSERT INTO note VALUES ('a lazy dog')", 0, 0, 0);
    int isDone = !hasFailed;
    failAt(0);
    if (code != SQLITE_OK && sqlite3_txn_state(db, NULL) != SQLITE_TXN_NONE) {
      sqlite3_exec(db, "INSERT INTO note VALUES ('b')", 0, 0, 0);
      printf("allocation %ld fails: a transaction stays open, and %s by the next insert\n", number,
             sqlite3_txn_state(db, NULL) == SQLITE_TXN_NONE ? "is ended" : "is not ended");
    }
    sqlite3_close_v2(db);
    if (isDone) return 0;
  }
}
