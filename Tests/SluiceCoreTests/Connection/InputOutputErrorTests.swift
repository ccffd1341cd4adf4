import SluiceCore
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc

  /// SQLite rolls back automatically when the system refuses a write.
  ///
  /// A file size limit makes writes fail. The limit applies to a whole process, so each test runs in its own process.
  @Suite(.tags(.transactions, .reliability)) struct `writes that the system refuses` {
    @Test func `after a failed write, a body that ignores the error cannot run statements`() async {
      await #expect(processExitsWith: .success) {
        let stage = try LimitedFile()
        let connection = stage.connection
        let error = stage.limited {
          failure {
            try connection.transaction { connection, _ in
              try connection.insert(1)
              #expect(failure { try stage.strike() }?.code == .ioErrorWrite)
              #expect(connection.isInAutocommit)
              #expect(failure { try connection.insert(2) }?.code == .ioErrorWrite)
              #expect(failure { try connection.rows }?.code == .ioErrorWrite)
            }
          }
        }
        #expect(error?.code == .ioErrorWrite)
        try stage.expectUndone()
      }
    }

    @Test func `a transaction whose body rethrows the error of a failed write leaves no changes`()
      async
    {
      await #expect(processExitsWith: .success) {
        let stage = try LimitedFile()
        let error = stage.limited {
          failure {
            try stage.connection.transaction { connection, _ in
              try connection.insert(1)
              try stage.strike()
            }
          }
        }
        #expect(error?.code == .ioErrorWrite)
        try stage.expectUndone()
      }
    }
  }

  /// A database whose file cannot grow as large as its content requires.
  private struct LimitedFile {
    let folder: TestFolder
    let connection: Connection

    init() throws {
      folder = try TestFolder()
      connection = try Connection(path: folder.file())
      try connection.execute(
        sql: """
          PRAGMA page_size = 65536; PRAGMA cache_size = 1;
          CREATE TABLE t(a); INSERT INTO t VALUES (0); CREATE TABLE large(a)
          """)
    }

    /// Runs `body` while no file can grow beyond 4 MB.
    func limited<T>(_ body: () -> T) -> T {
      signal(SIGXFSZ, SIG_IGN)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      var before = rlimit()
      unsafe getrlimit(resource, &before)
      var limits = rlimit(rlim_cur: 4 << 20, rlim_max: before.rlim_max)
      unsafe setrlimit(resource, &limits)
      defer { unsafe setrlimit(resource, &before) }
      return body()
    }

    /// Writes more than the cache and the file size limit allow.
    func strike() throws {
      for _ in 0..<10 {
        try connection.execute(sql: "INSERT INTO large VALUES (randomblob(800000))")
      }
    }

    func expectUndone() throws {
      #expect(connection.isInAutocommit)
      #expect(try connection.rows == [0])
      try connection.transaction { connection, _ in try connection.insert(9) }
      #expect(try connection.rows == [0, 9])
      #expect(try connection.value("SELECT count(*) FROM large") == 0)
      #expect(try connection.value("PRAGMA integrity_check") == "ok")
    }
  }
#endif
