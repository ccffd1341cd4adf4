extension ResultCode {
  /// The name of the code in C, such as SQLITE_CONSTRAINT_UNIQUE.
  ///
  /// A code that only a newer SQLite knows has the name of its primary code, or none. SQLite has no function for this.
  var name: String? {
    guard let kind = Self.kinds[rawValue & 0xff] else { return nil }
    let index = Int(rawValue >> 8) - 1
    guard kind.details.indices.contains(index), kind.details[index] != "" else {
      return "SQLITE_" + kind.name
    }
    return "SQLITE_" + kind.name + "_" + kind.details[index]
  }

  /// The primary codes, each with its extended codes in the order of their numbers.
  private static let kinds: [Int32: (name: String, details: [String])] = [
    0: ("OK", []),
    1: ("ERROR", ["MISSING_COLLSEQ", "RETRY", "SNAPSHOT"]),
    2: ("INTERNAL", []),
    3: ("PERM", []),
    4: ("ABORT", ["", "ROLLBACK"]),
    5: ("BUSY", ["RECOVERY", "SNAPSHOT", "TIMEOUT"]),
    6: ("LOCKED", ["SHAREDCACHE", "VTAB"]),
    7: ("NOMEM", []),
    8: (
      "READONLY", ["RECOVERY", "CANTLOCK", "ROLLBACK", "DBMOVED", "CANTINIT", "DIRECTORY"]
    ),
    9: ("INTERRUPT", []),
    10: (
      "IOERR",
      [
        "READ", "SHORT_READ", "WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "FSTAT", "UNLOCK",
        "RDLOCK", "DELETE", "BLOCKED", "NOMEM", "ACCESS", "CHECKRESERVEDLOCK", "LOCK", "CLOSE",
        "DIR_CLOSE", "SHMOPEN", "SHMSIZE", "SHMLOCK", "SHMMAP", "SEEK", "DELETE_NOENT", "MMAP",
        "GETTEMPPATH", "CONVPATH", "VNODE", "AUTH", "BEGIN_ATOMIC", "COMMIT_ATOMIC",
        "ROLLBACK_ATOMIC", "DATA", "CORRUPTFS", "IN_PAGE",
      ]
    ),
    11: ("CORRUPT", ["VTAB", "SEQUENCE", "INDEX"]),
    12: ("NOTFOUND", []),
    13: ("FULL", []),
    14: ("CANTOPEN", ["NOTEMPDIR", "ISDIR", "FULLPATH", "CONVPATH", "DIRTYWAL", "SYMLINK"]),
    15: ("PROTOCOL", []),
    16: ("EMPTY", []),
    17: ("SCHEMA", []),
    18: ("TOOBIG", []),
    19: (
      "CONSTRAINT",
      [
        "CHECK", "COMMITHOOK", "FOREIGNKEY", "FUNCTION", "NOTNULL", "PRIMARYKEY", "TRIGGER",
        "UNIQUE", "VTAB", "ROWID", "PINNED", "DATATYPE",
      ]
    ),
    20: ("MISMATCH", []),
    21: ("MISUSE", []),
    22: ("NOLFS", []),
    23: ("AUTH", ["USER"]),
    24: ("FORMAT", []),
    25: ("RANGE", []),
    26: ("NOTADB", []),
    27: ("NOTICE", ["RECOVER_WAL", "RECOVER_ROLLBACK", "RBU"]),
    28: ("WARNING", ["AUTOINDEX"]),
    100: ("ROW", []),
    101: ("DONE", []),
  ]
}
