import SluiceCore
import Testing

#if canImport(Glibc)
  import Glibc

  /// SQLite rolls back by itself when the system refuses to write.
  ///
  /// The refusal is a limit on the size of files, far above what any other test writes.
  @Suite(.serialized) struct `G6 F20 the system refuses to write` {
    static let limit: rlim_t = 64 << 20

    let folder: ScratchFolder
    let connection: Connection

    init() throws {
      folder = try ScratchFolder()
      connection = try Connection(path: folder.database)
      try connection.execute(
        sql: """
          PRAGMA page_size = 65536; PRAGMA cache_size = 1;
          CREATE TABLE t(a); INSERT INTO t VALUES (0); CREATE TABLE large(a)
          """)
    }

    /// Runs `body` while no file can become larger than the limit.
    private func limited(_ body: () throws -> Void) rethrows {
      signal(SIGXFSZ, SIG_IGN)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      var before = rlimit()
      unsafe getrlimit(resource, &before)
      var limits = rlimit(rlim_cur: Self.limit, rlim_max: before.rlim_max)
      unsafe setrlimit(resource, &limits)
      defer { unsafe setrlimit(resource, &before) }
      try body()
    }

    /// Writes more than the cache and the limit hold.
    private func strike() throws {
      for _ in 0..<10 {
        try connection.execute(sql: "INSERT INTO large VALUES (randomblob(8000000))")
      }
    }

    private func expectUndone() throws {
      #expect(connection.isInAutocommit)
      #expect(try connection.rows == [0])
      try connection.transaction { connection, _ in try connection.insert(9) }
      #expect(try connection.rows == [0, 9])
      #expect(try connection.value("SELECT count(*) FROM large") == 0)
      #expect(try connection.value("PRAGMA integrity_check") == "ok")
    }

    @Test func `a body that swallows the error runs no further statement`() throws {
      var error: SQLiteError?
      limited {
        error = refusal {
          try connection.transaction { connection, _ in
            try connection.insert(1)
            #expect(refusal { try strike() }?.code == .ioErrorWrite)
            #expect(connection.isInAutocommit)
            #expect(refusal { try connection.insert(2) }?.code == .ioErrorWrite)
            #expect(refusal { try connection.rows }?.code == .ioErrorWrite)
          }
        }
      }
      #expect(error?.code == .ioErrorWrite)
      try expectUndone()
    }

    @Test func `a body that lets the error through is undone`() throws {
      var error: SQLiteError?
      limited {
        error = refusal {
          try connection.transaction { connection, _ in
            try connection.insert(1)
            try strike()
          }
        }
      }
      #expect(error?.code == .ioErrorWrite)
      try expectUndone()
    }
  }
#endif
