import Allocations
import Dispatch
import Foundation
import SluiceCore
import Synchronization
import Testing

#if os(Linux)
  /// The memory of accesses that wait for their turn.
  @Suite(
    .enabled(
      if: allocations_are_counted(),
      "Allocations are counted with the C library of GNU, and not under a sanitizer."))
  struct WaitingAccessTests {
    /// The kinds of accesses that a task awaits.
    enum Access: CaseIterable {
      case perform, write, transaction, read
      case performOfPool, transactionOfPool, readOfPool, readOfReadQueue
    }

    /// The continuations of the tasks that only wait.
    final class Waiting: Sendable {
      let continuations = Mutex<[CheckedContinuation<Void, Never>]>([])
    }

    let count = 200
    /// The numbers of functions that have called the one that waits.
    ///
    /// A task allocates memory for the variables of its functions in kilobytes, so the memory of an access depends on the
    /// memory that its callers use. A mean does not.
    let depths = 0..<16

    @Test(arguments: Access.allCases)
    func `an access that waits needs little more memory than a task that waits`(_ access: Access)
      async throws
    {
      #if DEBUG
        // Without optimization, the frames of asynchronous functions are larger.
        let limit: Int64 = 4_096
      #else
        let limit: Int64 = access == .perform ? 1_600 : 1_900
      #endif
      let bare = try await bytesOfBareTask()
      let waiting = try await bytes(of: access)
      #expect(waiting > bare && waiting - bare <= limit, "\(waiting), \(bare)")
    }

    // Each task runs on this thread until it waits, so that the memory of other tests does not count. The closures of the
    // tasks are alike, and call nothing else, because each asynchronous function needs memory.
    private func bytesOfBareTask() async throws -> Int64 {
      let all = Waiting()
      all.continuations.withLock { $0.reserveCapacity(count * depths.count) }
      let (bytes, tasks) = measured { depth in
        Task.immediate {
          try await Self.nested(depth) {
            await withCheckedContinuation { continuation in
              all.continuations.withLock { $0.append(continuation) }
            }
            return 1
          }
        }
      }
      for continuation in all.continuations.withLock({ $0 }) { continuation.resume() }
      for task in tasks { _ = try await task.value }
      return bytes
    }

    private func bytes(of access: Access) async throws -> Int64 {
      let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // An error is ignored, because a leftover folder does no harm.
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appending(path: "app.db").path
      let queue = try ConnectionQueue()
      let pool = try ConnectionPool(path: path, readers: 1)
      let readQueue = try ConnectionReadQueue(path: path)
      let gate = DispatchSemaphore(value: 0)
      let blocked = DispatchGroup()
      queue.async(group: blocked) { _ in gate.wait() }
      pool.async(group: blocked) { _ in gate.wait() }
      readQueue.async(group: blocked) { _ in gate.wait() }
      let reading = DispatchSemaphore(value: 0)
      blocked.enter()
      pool.asyncRead(
        { _ in
          reading.signal()
          gate.wait()
        }, completion: { _ in blocked.leave() })
      reading.wait()
      let (bytes, tasks) = measured { depth in
        switch access {
        case .perform:
          Task.immediate {
            try await Self.nested(depth) { try await queue.perform { try Self.one($0) } }
          }
        case .write:
          Task.immediate {
            try await Self.nested(depth) { try await queue.write { try Self.one($0) } }
          }
        case .transaction:
          Task.immediate {
            try await Self.nested(depth) { try await queue.transaction { try Self.one($0) } }
          }
        case .read:
          Task.immediate {
            try await Self.nested(depth) { try await queue.read { try Self.one($0) } }
          }
        case .performOfPool:
          Task.immediate {
            try await Self.nested(depth) { try await pool.perform { try Self.one($0) } }
          }
        case .transactionOfPool:
          Task.immediate {
            try await Self.nested(depth) { try await pool.transaction { try Self.one($0) } }
          }
        case .readOfPool:
          Task.immediate {
            try await Self.nested(depth) { try await pool.read { try Self.one($0) } }
          }
        case .readOfReadQueue:
          Task.immediate {
            try await Self.nested(depth) { try await readQueue.read { try Self.one($0) } }
          }
        }
      }
      for _ in 0..<4 { gate.signal() }
      // All of them have waited, and then run.
      for task in tasks { #expect(try await task.value == 1) }
      await withCheckedContinuation { continuation in
        blocked.notify(queue: .global()) { continuation.resume() }
      }
      try await readQueue.close()
      try await pool.close()
      return bytes
    }

    /// Returns the result of a query, which is 1.
    private static func one(_ connection: Connection) throws -> Int {
      try connection.first(.column(.int), "SELECT 1") ?? 0
    }

    /// Calls `body` from as many nested functions.
    @inline(never)
    private static func nested(
      _ depth: Int, _ body: @Sendable () async throws -> Int
    ) async throws -> Int {
      if depth == 0 { return try await body() }
      let result = try await nested(depth - 1, body)
      // The variable needs memory while the function waits.
      return withExtendedLifetime(depth) { result }
    }

    /// Returns the tasks that `make` creates, and the mean of the memory that each of them takes.
    private func measured(
      _ make: (_ depth: Int) -> Task<Int, any Error>
    ) -> (bytes: Int64, tasks: [Task<Int, any Error>]) {
      var tasks: [Task<Int, any Error>] = []
      tasks.reserveCapacity(count * depths.count)
      let before = bytes_of_this_thread()
      for depth in depths { for _ in 0..<count { tasks.append(make(depth)) } }
      return ((bytes_of_this_thread() - before) / Int64(tasks.count), tasks)
    }
  }
#endif
