import SluiceTesting
import Synchronization
import TestSupport
import Testing

/// A connection can end in four ways, and each step of them can fail.
@Suite(.tags(.faults)) struct `the end of a connection` {
  enum End: String, CaseIterable, Codable { case close, release, failedPreparation, failedOpening }

  /// Opens a connection that retains objects of each kind.
  private static func open(
    _ path: String, _ end: End, _ settings: Configuration, _ held: Counter
  ) throws -> Connection {
    var configuration = settings
    configuration.journalMode = .wal
    configuration.optimizesOnClose = true
    configuration.prepareConnection { connection in
      try fill(connection, held)
      if end == .failedPreparation { throw SQLiteError(.error, "The preparation has failed") }
    }
    return try Connection(path: path, configuration: configuration)
  }

  private static func fill(_ db: Connection, _ held: Counter) throws {
    let each = { held.hold() }
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS t(a, b); CREATE TEMP TABLE u(a);
        INSERT INTO t VALUES (1, zeroblob(100)), (2, 'x'); ATTACH ':memory:' AS other;
        """)
    try db.addFunction("f", arity: 0) { [object = each()] _ in .text("\(object)") }
    try db.addCollation("c") { [object = each()] in
      withExtendedLifetime(object) {}
      return SQLOrder($0, $1)
    }
    try db.onCollationNeeded { [object = each()] _, _ in withExtendedLifetime(object) {} }
    try db.setBusyHandler { [object = each()] _ in withExtendedLifetime(object) { false } }
    _ = try db.onCommit { [object = each()] in withExtendedLifetime(object) {} }
    _ = try db.onRollback { [object = each()] in withExtendedLifetime(object) {} }
    _ = try db.onUpdate { [object = each()] _ in withExtendedLifetime(object) {} }
    _ = try db.authorize { [object = each()] _ in withExtendedLifetime(object) { .allow } }
    // The statement remains in the cache.
    try db.execute("INSERT INTO t VALUES (3, \(Array("y".utf8)))")
  }

  /// Ends a connection while a call fails, and requires that nothing of it is left.
  private static func test(
    _ end: End, _ attempt: FaultAttempt, _ files: FaultyFileSystem, _ open: OpenFiles,
    _ held: Counter
  ) throws {
    let (path, settings) = ("\(attempt.number).db", files.configuration())
    var connection: Connection?
    switch end {
    case .close, .release:
      connection = try Self.open(path, end, settings, held)
      var blob = try connection?.openBlob(table: "t", column: "b", rowid: 1, readOnly: false)
      try blob?.write([1])
      try connection?.execute(sql: "BEGIN; INSERT INTO t VALUES (4, 'z')")
      if end == .release { blob = nil }
      _ = try attempt.failing {
        if end == .close { try connection?.close() }
        connection = nil
      }
      withExtendedLifetime(blob) {}
    case .failedPreparation, .failedOpening:
      _ = try attempt.failing {
        do { connection = try Self.open(path, end, settings, held) } catch SQLiteError.error
          where end == .failedPreparation
        {}
        connection = nil
      }
    }
    connection = nil
    try #require(held.living == 0)
    try #require(open.count.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: End.allCases)
  func `closes all files and releases all objects, although a call of the file system fails`(
    _ end: End
  ) throws {
    let (open, held) = (OpenFiles(), Counter())
    let files = try FaultyFileSystem(over: CountingFileSystem(open: open))
    let count = try files.failEachCall { try Self.test(end, $0, files, open, held) }
    #expect(count > 5)
    #expect(held.all > count)
  }

  @Test(arguments: End.allCases)
  func `closes all files and releases all objects, although an allocation fails`(_ end: End) async {
    await #expect(processExitsWith: .success) { [end] in
      try FaultyMemory.install()
      let (open, held) = (OpenFiles(), Counter())
      let files = try FaultyFileSystem(over: CountingFileSystem(open: open))
      let count = try FaultyMemory.failEachAllocation {
        try Self.test(end, $0, files, open, held)
      }
      try #require(count > 0)
      try #require(held.all > count)
    }
  }
}

private final class Counter: Sendable {
  private let counts = Atomic(0)
  private let lives = Atomic(0)

  var all: Int { counts.load(ordering: .relaxed) }
  var living: Int { lives.load(ordering: .relaxed) }

  func hold() -> AnyObject {
    counts.add(1, ordering: .relaxed)
    lives.add(1, ordering: .relaxed)
    return Held(self)
  }

  private final class Held {
    let counter: Counter
    init(_ counter: Counter) { self.counter = counter }
    deinit { counter.lives.subtract(1, ordering: .relaxed) }
  }
}

private final class OpenFiles: Sendable {
  let count = Atomic(0)
}

private struct CountingFileSystem: VirtualFileSystemShim {
  let base: any VirtualFileSystem = MemoryFileSystem()
  let open: OpenFiles

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    CountedFile(try base.open(request), open)
  }
}

private final class CountedFile: VirtualFileShim {
  let base: any VirtualFile
  private let open: OpenFiles

  init(_ base: any VirtualFile, _ open: OpenFiles) {
    self.base = base
    self.open = open
    open.count.add(1, ordering: .relaxed)
  }

  deinit { open.count.subtract(1, ordering: .relaxed) }
}
