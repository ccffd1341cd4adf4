import Allocations
import Dispatch
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
    @Test func `an access that waits needs little more memory than a task that waits`() async throws
    {
      #if DEBUG
        // Without optimization, the frames of asynchronous functions are larger.
        let limit: Int64 = 4_096
      #else
        let limit: Int64 = 2_560
      #endif
      let count = 1_000
      let queue = try ConnectionQueue()
      try await queue.perform { try $0.execute("CREATE TABLE done(a)") }

      // Each task runs on this thread until it waits, so that the memory of other tests does not count.
      // The closures of the tasks are alike, and call nothing else, because each asynchronous function needs memory.
      final class Waiting: Sendable {
        let continuations = Mutex<[CheckedContinuation<Void, Never>]>([])
      }
      let all = Waiting()
      all.continuations.withLock { $0.reserveCapacity(count) }
      var tasks: [Task<Void, any Error>] = []
      tasks.reserveCapacity(count)
      var before = bytes_of_this_thread()
      for _ in 0..<count {
        let task = Task<Void, any Error>.immediate {
          await withCheckedContinuation { continuation in
            all.continuations.withLock { $0.append(continuation) }
          }
        }
        tasks.append(task)
      }
      let bare = (bytes_of_this_thread() - before) / Int64(count)
      for continuation in all.continuations.withLock({ $0 }) { continuation.resume() }
      for task in tasks { try await task.value }

      let gate = DispatchSemaphore(value: 0)
      queue.async { _ in gate.wait() }
      tasks.removeAll(keepingCapacity: true)
      before = bytes_of_this_thread()
      for _ in 0..<count {
        let task = Task<Void, any Error>.immediate {
          try await queue.perform { try $0.execute("INSERT INTO done VALUES (1)") }
        }
        tasks.append(task)
      }
      let waiting = (bytes_of_this_thread() - before) / Int64(count)
      gate.signal()
      for task in tasks { try await task.value }
      #expect(waiting > bare && waiting - bare <= limit, "\(waiting), \(bare)")
      // All of them have waited, and then run.
      #expect(
        try await queue.perform { try $0.first(.column(.int), "SELECT count(*) FROM done") }
          == count)
    }
  }
#endif
