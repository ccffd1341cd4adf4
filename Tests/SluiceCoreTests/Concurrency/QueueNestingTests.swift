import Dispatch
import SluiceCore
import TestSupport
import Testing

/// A nested call throws misuse instead of blocking, and the queue remains usable.
@Suite(.tags(.concurrency, .reliability), .timeLimit(.minutes(10))) struct `nested calls` {
  enum Outer: CaseIterable, Sendable {
    case sync, transaction, savepoint, async, asyncTransaction, asyncSavepoint
  }

  enum Inner: CaseIterable, Sendable {
    case sync, transaction, savepoint, close
  }

  static let pairs = Outer.allCases.flatMap { outer in Inner.allCases.map { (outer, $0) } }

  private static func nested(_ inner: Inner, in queue: ConnectionQueue) -> ResultCode? {
    failure {
      switch inner {
      case .sync: try queue.sync { _ in }
      case .transaction: _ = try queue.syncTransaction { _, _ in }
      case .savepoint: _ = try queue.syncSavepoint { _, _ in }
      case .close: try queue.syncClose()
      }
    }?.code
  }

  @Test(arguments: pairs)
  func `a call inside a synchronous or asynchronous call throws misuse`(
    _ outer: Outer, _ inner: Inner
  ) throws {
    let queue = try ConnectionQueue()
    let codes = SharedLog<ResultCode?>()
    let isInTime = returnsInTime {
      let act = { @Sendable in codes.append(Self.nested(inner, in: queue)) }
      Self.run(outer, queue, act)
    }
    #expect(isInTime)
    #expect(codes.entries == [.misuse])
    #expect(try queue.sync { try $0.integers("SELECT 1") } == [1])
    #expect(try queue.sync { $0.isInAutocommit })
  }

  private static func run(
    _ outer: Outer, _ queue: ConnectionQueue, _ act: @escaping @Sendable () -> Void
  ) {
    let group = DispatchGroup()
    do {
      switch outer {
      case .sync: try queue.sync { _ in act() }
      case .transaction: try queue.syncTransaction { _, _ in act() }
      case .savepoint: try queue.syncSavepoint { _, _ in act() }
      case .async:
        queue.async(group: group) { _ in
          act()
        } completion: { _ in
        }
      case .asyncTransaction:
        queue.asyncTransaction(group: group) { _, _ in
          act()
        } completion: { _ in
        }
      case .asyncSavepoint:
        queue.asyncSavepoint(group: group) { _, _ in
          act()
        } completion: { _ in
        }
      }
    } catch { Issue.record(error) }
    #expect(group.finishes(within: 5))
  }

  @Test(arguments: Inner.allCases)
  func `a call inside an awaited call throws misuse`(_ inner: Inner) async throws {
    let queue = try ConnectionQueue()
    let performed = try await queue.perform { _ in Self.nested(inner, in: queue) }
    let transacted = try await queue.transaction { _, _ in Self.nested(inner, in: queue) }
    let saved = try await queue.savepoint { _, _ in Self.nested(inner, in: queue) }
    #expect([performed, transacted.value, saved.value] == [.misuse, .misuse, .misuse])
    #expect(try await queue.perform { $0.isInAutocommit })
  }

  @Test(arguments: Inner.allCases)
  func `a nested call throws misuse while other calls wait`(_ inner: Inner) throws {
    let queue = try ConnectionQueue()
    let codes = SharedLog<ResultCode?>()
    let group = DispatchGroup()
    let isInTime = returnsInTime {
      try? queue.sync { _ in
        for _ in 0..<3 {
          queue.async(group: group) { _ in
          } completion: { _ in
          }
        }
        codes.append(Self.nested(inner, in: queue))
      }
      queue.async(group: group) { _ in
        for _ in 0..<3 {
          queue.async(group: group) { _ in
          } completion: { _ in
          }
        }
        codes.append(Self.nested(inner, in: queue))
      } completion: { _ in
      }
      _ = group.finishes(within: 4)
    }
    #expect(isInTime)
    #expect(codes.entries == [.misuse, .misuse])
  }

  @Test func `a nested call on a read queue throws misuse`() throws {
    let folder = try TestFolder()
    let queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    let reader = try ConnectionReadQueue(writeQueue: queue)
    let codes = SharedLog<ResultCode?>()
    let act = { @Sendable in
      codes.append(failure { try reader.sync { _ in } }?.code)
      codes.append(failure { try reader.syncReadTransaction { _ in } }?.code)
      codes.append(failure { try reader.sync { try $0.beginReadTransaction() } }?.code)
      codes.append(failure { try reader.sync { try $0.updateReadTransaction() } }?.code)
      codes.append(failure { try reader.sync { try $0.endReadTransaction() } }?.code)
      codes.append(failure { try reader.syncClose() }?.code)
      // A call on another queue is not nested.
      codes.append(failure { try queue.sync { _ in } }?.code)
    }
    let isInTime = returnsInTime {
      try? reader.sync { _ in act() }
      try? reader.syncReadTransaction { _ in act() }
      let group = DispatchGroup()
      reader.async(group: group) { _ in
        act()
      } completion: { _ in
      }
      reader.asyncReadTransaction(group: group) { _ in
        act()
      } completion: { _ in
      }
      _ = group.finishes(within: 5)
    }
    #expect(isInTime)
    let once: [ResultCode?] = Array(repeating: .misuse, count: 6) + [nil]
    #expect(codes.entries == Array(repeating: once, count: 4).flatMap { $0 })
  }

  @Test func `a call on one queue can call another queue`() throws {
    let one = try ConnectionQueue()
    let other = try ConnectionQueue()
    #expect(try one.sync { _ in try other.sync { _ in try one.label(other) } } == .misuse)
    #expect(try one.sync { _ in try other.syncTransaction { _, _ in 7 }.value } == 7)
  }

  @Test func `an async call inside another call on the queue runs after the outer call`() throws {
    let queue = try ConnectionQueue()
    let log = SharedLog<String>()
    let group = DispatchGroup()
    try queue.sync { _ in
      queue.async(group: group) { _ in
        log.append("inner")
      } completion: { _ in
      }
      log.append("outer")
    }
    #expect(group.finishes())
    #expect(log.entries == ["outer", "inner"])
  }
}

extension ConnectionQueue {
  /// Returns the code that a nested call on this queue throws, and expects a call on `other` to throw misuse.
  fileprivate func label(_ other: ConnectionQueue) throws -> ResultCode? {
    #expect(failure { try other.sync { _ in } }?.code == .misuse)
    return failure { try sync { _ in } }?.code
  }
}
