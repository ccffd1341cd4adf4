import Foundation
import Sluice
import TestSupport
import Testing

#if os(Linux)
  /// Many watches use few system resources.
  @Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `many watches` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func queue(_ name: String) throws -> ConnectionQueue {
      let home = folder.url.appending(path: name)
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      var configuration = Configuration()
      configuration.journalMode = .wal
      let path = home.appending(path: "app.db").path
      let queue = try ConnectionQueue(path: path, configuration: configuration)
      try queue.sync { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)") }
      return queue
    }

    /// Returns the number of files of a kind that the process has open.
    private func openFiles(_ kind: String) throws -> Int {
      let files = FileManager.default
      return try files.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        // A descriptor that was listed may be closed by now.
        (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == kind
      }
    }

    @Test func `all watches of a process share a single inotify instance`() throws {
      let queues = try (0..<3).map { try queue("tenant \($0)") }
      let watches = try (0..<300).map { try queues[$0 % 3].watchOtherWriters() }
      #expect(try openFiles("anon_inode:inotify") == 1)
      for watch in watches { watch.cancel() }
      for _ in 0..<300 { try queues[0].watchOtherWriters().cancel() }
      #expect(try openFiles("anon_inode:inotify") == 1)
    }

    @Test func `cancelling a watch, even twice, does not affect other watches of its file`()
      async throws
    {
      let queue = try queue("shared")
      let other = try self.queue("shared")
      let kept = try queue.watchOtherWriters()
      do {
        let watch = try queue.watchOtherWriters()
        watch.cancel()
        watch.cancel()
      }
      var values = queue.observe(.column(.int), sql: "SELECT a FROM t").makeAsyncIterator()
      #expect(try await values.next() == [])
      for number in 1...3 {
        try await other.perform { try $0.execute("INSERT INTO t VALUES (\(number))") }
        var found = try await values.next()
        while found?.count != number { found = try await values.next() }
        #expect(found?.last == number)
      }
      withExtendedLifetime(kept) {}
    }

    @Test func `a database whose folder was deleted and re-created can be watched again`()
      async throws
    {
      let queue = try queue("moved")
      let old = try queue.watchOtherWriters()
      try await queue.perform { try $0.close() }
      try FileManager.default.removeItem(at: folder.url.appending(path: "moved"))
      let new = try self.queue("moved")
      let watch = try new.watchOtherWriters()
      old.cancel()
      var values = new.observe(.column(.int), sql: "SELECT a FROM t").makeAsyncIterator()
      #expect(try await values.next() == [])
      try await self.queue("moved").perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      #expect(try await values.next() == [1])
      withExtendedLifetime(watch) {}
    }

    @Test func `a process with a hundred watches has fewer than 50 threads`() async {
      await #expect(processExitsWith: .success) {
        let folder = try TestFolder()
        let queue = try ConnectionQueue(path: folder.file())
        try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
        let watches = try (0..<100).map { _ in try queue.watchOtherWriters() }
        var most = 0
        for number in 0..<300 {
          try await queue.perform { try $0.execute("INSERT INTO t VALUES (\(number))") }
          let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
          most = max(most, threads.count)
        }
        #expect(most < 50)
        withExtendedLifetime(watches) {}
      }
    }
  }
#endif
