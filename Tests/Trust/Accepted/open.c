// Writes to virtual tables while a journal cannot be opened: afterwards no transaction should be open.
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

static sqlite3_vfs *base;
static int failing;
static int opens;

static int openFile(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *result) {
  file->pMethods = NULL;
  if (failing && ++opens == failing) return SQLITE_CANTOPEN;
  return base->xOpen(base, name, file, flags, result);
}

static void try(const char *table, const char *insert) {
  for (int number = 1; number <= 3; number++) {
    sqlite3 *db;
    unlink("open.db");
    sqlite3_open("open.db", &db);
    sqlite3_exec(db, table, 0, 0, 0);
    sqlite3_close(db);
    sqlite3_open("open.db", &db);
    opens = 0;
    failing = number;
    int code = sqlite3_exec(db, insert, 0, 0, 0);
    failing = 0;
    if (code && sqlite3_txn_state(db, NULL) != SQLITE_TXN_NONE) {
      sqlite3_exec(db, insert, 0, 0, 0);
      printf("open %d fails: a transaction stays open after %s; it %s by the next\n", number,
             insert, sqlite3_txn_state(db, NULL) == SQLITE_TXN_NONE ? "is ended" : "is not ended");
    }
    sqlite3_close_v2(db);
  }
  unlink("open.db");
}

int main(void) {
  printf("SQLite %s\n", sqlite3_libversion());
  base = sqlite3_vfs_find(NULL);
  sqlite3_vfs vfs = *base;
  vfs.zName = "failing";
  vfs.xOpen = openFile;
  sqlite3_vfs_register(&vfs, 1);
  try("CREATE VIRTUAL TABLE place USING rtree(id, x0, x1); INSERT INTO place VALUES (1, 2, 3)",
      "INSERT INTO place VALUES (2, 4, 5), (3, 50, 60)");
  try("CREATE VIRTUAL TABLE note USING fts5(a); INSERT INTO note VALUES ('a fox')",
      "INSERT INTO note(note, rank) VALUES ('rank', 'bm25(1.0)')");
  try("CREATE VIRTUAL TABLE note USING fts5(a); INSERT INTO note VALUES ('a fox')",
      "INSERT INTO note(note) VALUES ('optimize')");
}
