// Rebases a changeset by nothing at all, with each allocation failing in turn: what it returns as a success has to be what
// went in.
#include "failing.h"

int main(void) {
  install();
  sqlite3 *db;
  sqlite3_session *session;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE pair(id INTEGER PRIMARY KEY, text TEXT)", 0, 0, 0);
  sqlite3session_create(db, "main", &session);
  sqlite3session_attach(session, NULL);
  sqlite3_exec(db, "INSERT INTO pair(text) VALUES (hex(zeroblob(3000))), ('b')", 0, 0, 0);
  int size;
  void *changes;
  sqlite3session_changeset(session, &size, &changes);
  printf("SQLite %s\n", sqlite3_libversion());
  for (long number = 1;; number++) {
    sqlite3_rebaser *rebaser;
    sqlite3rebaser_create(&rebaser);
    int rebasedSize = 0;
    void *rebased = NULL;
    failAt(number);
    int code = sqlite3rebaser_rebase(rebaser, size, changes, &rebasedSize, &rebased);
    int isDone = !hasFailed;
    failAt(0);
    if (code == SQLITE_OK && (rebasedSize != size || memcmp(rebased, changes, size)))
      printf("allocation %ld fails: SQLITE_OK, with %d bytes of %d\n", number, rebasedSize, size);
    sqlite3_free(rebased);
    sqlite3rebaser_delete(rebaser);
    if (isDone) return 0;
  }
}
