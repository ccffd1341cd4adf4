import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

/// Observation detects the writes of other processes.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `observing other writers` {
  private let folder: TestFolder
  private var path: String { folder.url.appending(path: "app.db").path }

  init() throws { folder = try TestFolder() }

  private func queue(_ mode: Configuration.JournalMode) throws -> ConnectionQueue {
    var configuration = Configuration()
    configuration.journalMode = mode
    let queue = try ConnectionQueue(path: path, configuration: configuration)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    return queue
  }

  @Test func `watching a closed queue or pool throws`() async throws {
    let queue = try queue(.wal)
    let reader = try ConnectionReadQueue(writeQueue: queue)
    let pool = try ConnectionPool(path: path)
    try await reader.close()
    #expect(throws: SQLiteError(.misuseClosed, "The queue is closed")) {
      try reader.watchOtherWriters()
    }
    try await queue.close()
    #expect(throws: SQLiteError(.misuseClosed, "The queue is closed")) {
      try queue.watchOtherWriters()
    }
    try await pool.close()
    #expect(throws: SQLiteError(.misuseClosed, "The pool is closed")) {
      try pool.watchOtherWriters()
    }
  }

  #if os(Linux) || os(macOS)
    @Test(arguments: [Configuration.JournalMode.wal, .delete, .truncate, .persist])
    func `an observation emits the values that a child process commits`(
      _ mode: Configuration.JournalMode
    ) async throws {
      let queue = try queue(mode)
      let watch = try queue.watchOtherWriters()
      var iterator = queue.observe(.column(.int), sql: "SELECT a FROM t").makeAsyncIterator()
      #expect(try await iterator.next() == [])
      for number in 1...2 {
        await #expect(processExitsWith: .success) {
          [path = path as String, number = number as Int] in
          let connection = try Connection(path: path)
          try connection.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (\(number))")
        }
        var found = try await iterator.next()
        // The observation may see the table between the two statements.
        while found == [] { found = try await iterator.next() }
        #expect(found == [number])
      }
      watch.cancel()
    }

    /// Prints how long detection takes.
    ///
    /// It should take at most 200 ms on a machine that is not busy.
    @Test func `each commit of another process is observed`() async throws {
      let queue = try queue(.wal)
      let watch = try queue.watchOtherWriters()
      let writer = try OtherWriter(URL(filePath: path), ["stamp"])
      try writer.expectReady()
      var values = queue.observe(.column(.int), sql: "SELECT a FROM t ORDER BY rowid DESC LIMIT 1")
        .makeAsyncIterator()
      #expect(try await values.next() == [])
      var delays: [Int] = []
      var last = 0
      for _ in 0..<rounds(10, long: 200) {
        try writer.start()
        // A change hint can emit a value that is already known.
        let before = last
        repeat { last = try await values.next()?.first ?? 0 } while last == before
        delays.append(Int(DispatchTime.now().uptimeNanoseconds) - last)
      }
      try writer.end()
      #expect(try writer.output() == "")
      let sorted = delays.sorted().map { Double($0) / 1e6 }
      print(
        "A commit of another process is seen after \(sorted[sorted.count / 2]) ms (median),",
        "\(sorted[sorted.count - 1]) ms at most, of \(sorted.count).")
      withExtendedLifetime(watch) {}
    }
  #endif

  @Test func `a commit of another queue in the same process is observed`() async throws {
    let queue = try queue(.wal)
    let watch = try queue.watchOtherWriters()
    let reader = try ConnectionReadQueue(writeQueue: queue)
    var iterator = reader.observe(.column(.int), sql: "SELECT count(*) FROM t").makeAsyncIterator()
    #expect(try await iterator.next() == [0])
    let other = try ConnectionQueue(path: path)
    try await other.perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(try await iterator.next() == [1])
    withExtendedLifetime(watch) {}
  }

  /// A disk whose first sync takes longer than the watch looks for a commit after a change of the file.
  private final class SlowDisk: VirtualFileSystemShim {
    private let isSlow = Mutex(true)

    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      File(base: try base.open(request), disk: self)
    }

    private func waitOnce() {
      let waits = isSlow.withLock { isSlow in
        defer { isSlow = false }
        return isSlow
      }
      if waits { Thread.sleep(forTimeInterval: 2.5) }
    }

    private struct File: VirtualFileShim {
      let base: any VirtualFile
      let disk: SlowDisk

      func sync(_ options: VirtualFileSync) throws {
        disk.waitOnce()
        try base.sync(options)
      }
    }
  }

  @Test func `a commit is observed even if syncing ends long after the file changes`()
    async throws
  {
    let queue = try queue(.wal)
    let watch = try queue.watchOtherWriters()
    var iterator = queue.observe(.column(.int), sql: "SELECT count(*) FROM t").makeAsyncIterator()
    #expect(try await iterator.next() == [0])
    try SQLiteLibrary.addFileSystem("slow disk", SlowDisk())
    var configuration = Configuration()
    configuration.fileSystem = "slow disk"
    let other = try ConnectionQueue(path: path, configuration: configuration)
    try await other.perform {
      try $0.execute(sql: "PRAGMA synchronous = FULL; INSERT INTO t VALUES (1)")
    }
    #expect(try await iterator.next() == [1])
    withExtendedLifetime(watch) {}
    try await other.close()
    try SQLiteLibrary.removeFileSystem("slow disk")
  }

  @Test func `watching an in-memory database for other writers throws`() throws {
    let queue = try ConnectionQueue()
    #expect(throws: SQLiteError.self) { try queue.watchOtherWriters() }
  }

  @Test func `a watch can be cancelled after its connection closes and its files are deleted`()
    async throws
  {
    let queue = try queue(.wal)
    let watch = try queue.watchOtherWriters()
    try await queue.perform { try $0.close() }
    try FileManager.default.removeItem(at: folder.url)
    queue.noticeOtherWriters()
    watch.cancel()
    watch.cancel()
  }
}
