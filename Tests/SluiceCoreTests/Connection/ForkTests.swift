import Allocations
import SluiceCore
import TestSupport
import Testing

/// A fork copies the memory of the whole process, so each test runs in its own process.
@Suite(.tags(.reliability)) struct `forked processes` {
  @Test func `a forked child cannot use its parent's connection`() async {
    await #expect(processExitsWith: .success) {
      let parent = try Parent()
      try parent.connection.begin()
      try parent.connection.execute(sql: "INSERT INTO t VALUES (4)")
      #expect(parent.first(ofChild: Parent.uses) == 0)
      // The child must have neither committed nor rolled back anything.
      #expect(!parent.connection.isInAutocommit)
      #expect(try parent.connection.integers("SELECT a FROM t") == [1, 2, 3, 4])
      try parent.connection.commit()
    }
  }

  @Test func `a forked child that releases a connection leaves the parent's transaction intact`()
    async
  {
    await #expect(processExitsWith: .success) {
      let parent = try Parent()
      try parent.connection.execute(sql: "PRAGMA cache_size = 1")
      try parent.connection.begin()
      // The rows exceed the cache, so the file changes before the commit.
      try parent.connection.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
          INSERT INTO t SELECT i FROM n
          """)
      #expect(parent.first(ofChild: [{ $0.letGo() }]) == 0)
      #expect(fileExists(parent.path + "-journal"))
      try parent.connection.commit()
      #expect(try parent.connection.integers("SELECT count(*) FROM t") == [20003])
      #expect(try parent.connection.column("PRAGMA integrity_check") == [.text("ok")])
    }
  }

  @Test func `a forked child and then its parent can open new connections`() async {
    await #expect(processExitsWith: .success) {
      let parent = try Parent()
      #expect(parent.first(ofChild: [{ $0.opensAnother() }]) == 0)
      let connection = try Connection()
      #expect(try connection.integers("SELECT 1") == [1])
    }
  }
}

/// The database objects of a process when it forks.
private final class Parent {
  private let folder: TestFolder
  private var kept: Connection?
  var connection: Connection { kept! }
  private var standing: Statement?
  private var idle: Statement?
  private var blob: Blob?
  private var uses: [(Parent) -> Bool] = []
  let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file()
    let connection = try Connection(path: path)
    kept = connection
    try connection.execute(
      sql: """
        CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3);
        CREATE TABLE b(b); INSERT INTO b VALUES (x'0102')
        """)
    standing = try connection.prepare(sql: "SELECT a FROM t")
    let isOnRow = try standing?.step() != nil
    #expect(isOnRow)
    idle = try connection.prepare(sql: "DELETE FROM t")
    blob = try connection.openBlob(table: "b", column: "b", rowid: 1)
  }

  /// Runs `uses` in a child process.
  ///
  /// Returns the number of the first use that returns false, counted from 1, or 0 if all return true.
  func first(ofChild uses: [(Parent) -> Bool]) -> Int {
    self.uses = uses
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe result_of_child(
      { me in
        let parent = unsafe Unmanaged<Parent>.fromOpaque(me!).takeUnretainedValue()
        return Int32((parent.uses.firstIndex { !$0(parent) } ?? -1) + 1)
      }, me)
    return Int(result)
  }

  /// The operations that a child attempts.
  ///
  /// Each returns whether it was refused, as it must be.
  static var uses: [(Parent) -> Bool] {
    [
      { parent in isRefused { try parent.connection.execute(sql: "INSERT INTO t VALUES (5)") } },
      { parent in isRefused { try parent.connection.integers("SELECT a FROM t") } },
      { parent in isRefused { try parent.connection.prepare(sql: "SELECT 1") } },
      { parent in isRefused { try parent.connection.transaction { _, _ in } } },
      { parent in isRefused { try parent.connection.afterCommit { _ in } } },
      { parent in isRefused { try parent.connection.commit() } },
      { parent in isRefused { try parent.connection.rollback() } },
      { parent in isRefused { try parent.idle!.execute() } },
      { parent in isRefused { while try parent.standing!.step() != nil {} } },
      { parent in isRefused { try parent.standing!.reset() } },
      { parent in isRefused { try parent.blob!.read() } },
      { parent in isRefused { try parent.blob!.close() } },
      { parent in isRefused { try parent.connection.checkpoint() } },
      { parent in isRefused { try parent.connection.close() } },
    ]
  }

  private static func isRefused<T>(_ body: () throws -> T) -> Bool {
    guard let error = failure(body) else { return false }
    return error.code == .misuse && error.message.contains("forked")
  }

  func letGo() -> Bool {
    weak let gone = kept
    (standing, idle, blob, kept) = (nil, nil, nil, nil)
    return gone == nil
  }

  func opensAnother() -> Bool {
    guard let connection = try? Connection() else { return false }
    return (try? connection.integers("SELECT 1")) == [1]
  }
}
