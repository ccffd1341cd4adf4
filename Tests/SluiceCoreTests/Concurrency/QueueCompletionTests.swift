import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `completions of a queue` {
  let queue: ConnectionQueue
  let group = DispatchGroup()

  init() throws { queue = try ConnectionQueue() }

  @Test func `completions of a queue are called in order, one after another`() {
    let log = SharedLog<Int>()
    let inside = SharedLog<Int>()
    for number in 0..<500 {
      queue.async(group: group) { _ in
        number
      } completion: { result in
        inside.append(1)
        log.append((try? result.get()) ?? -1)
        inside.append(-1)
      }
    }
    #expect(group.finishes())
    #expect(log.entries == Array(0..<500))
    #expect(inside.entries == (0..<1000).map { $0 % 2 == 0 ? 1 : -1 })
  }

  @Test func `a completion receives the value or the error`() throws {
    let log = SharedLog<String>()
    queue.async(group: group) { _ in
      1
    } completion: {
      log.append("\($0)")
    }
    queue.async(group: group) { _ -> Int in
      throw ForeignError("async")
    } completion: {
      log.append("\($0.failure as Any)")
    }
    queue.asyncTransaction(group: group) { _, command in
      command = .rollback
      return 2
    } completion: { result in
      log.append((try? result.get()).map { "\($0.command) \($0.value)" } ?? "failure")
    }
    queue.asyncTransaction(group: group) { _, _ -> Int in
      throw ForeignError("transaction")
    } completion: {
      log.append("\($0.failure as Any)")
    }
    queue.asyncSavepoint("it's", group: group) { _, _ in
      3
    } completion: { result in
      log.append((try? result.get()).map { "\($0.command) \($0.value)" } ?? "failure")
    }
    #expect(group.finishes())
    #expect(
      log.entries == [
        "success(1)", "Optional(async)", "rollback 2", "Optional(transaction)", "commit 3",
      ])
  }

  @Test func `a sync inside a completion runs after the calls that already wait`() throws {
    let log = SharedLog<String>()
    let gate = Gate()
    queue.async(group: group) { _ in
      log.append("first")
    } completion: { [queue] _ in
      // The third call is waiting by now.
      #expect(gate.pass())
      do { try queue.sync { _ in log.append("from the completion") } } catch { Issue.record(error) }
      log.append("completed")
    }
    queue.async(group: group) { _ in
      log.append("second")
    } completion: { _ in
    }
    queue.async(group: group) { _ in
      log.append("third")
    } completion: { _ in
    }
    gate.open()
    #expect(group.finishes())
    let entries = log.entries
    #expect(
      entries.filter { $0 != "from the completion" && $0 != "completed" } == [
        "first", "second", "third",
      ])
    let own = try #require(entries.firstIndex(of: "from the completion"))
    #expect(own == 3)
    #expect(entries.last == "completed")
  }

  /// The thread that runs the queue's calls also releases captured objects.
  ///
  /// A deinit that waited there for its turn would deadlock.
  @Test(arguments: [false, true])
  func `the deinit of a captured object can call the queue, even through a dispatch queue`(
    _ hops: Bool
  ) {
    let gate = Gate()
    let log = SharedLog<ResultCode?>()
    do {
      let leftover = Leftover { [queue] in
        let call = { log.append(failure { try queue.sync { _ in } }?.code) }
        if hops { DispatchQueue(label: "another").sync(execute: call) } else { call() }
      }
      queue.async(group: group) { _ in
        withExtendedLifetime(leftover) { #expect(gate.pass()) }
      } completion: { _ in
      }
      // This call waits behind the first call.
      queue.async(group: group) { _ in
      } completion: { _ in
      }
    }
    gate.open()
    #expect(group.finishes())
    #expect(log.entries == [nil])
  }

  @Test func `a completion can make synchronous and asynchronous calls`() {
    let log = SharedLog<Int>()
    queue.async(group: group) { _ in
    } completion: { [queue, group] _ in
      do {
        try queue.sync { _ in log.append(1) }
        try queue.syncTransaction { _, _ in log.append(2) }
        try queue.syncSavepoint { _, _ in log.append(3) }
      } catch { Issue.record(error) }
      queue.async(group: group) { _ in
        log.append(4)
      } completion: { _ in
        log.append(5)
      }
    }
    #expect(group.finishes())
    #expect(log.entries == [1, 2, 3, 4, 5])
  }

  @Test
  func `an asynchronous call leaves its dispatch group only after the completion has returned`() {
    let gate = Gate()
    let log = SharedLog<String>()
    queue.async(group: group) { _ in
    } completion: { _ in
      #expect(gate.pass())
      log.append("completed")
    }
    #expect(group.wait(timeout: .now()) == .timedOut)
    gate.open()
    #expect(group.finishes())
    #expect(log.entries == ["completed"])
  }

  @Test func `a completion that waits for a later call does not block the queue`() {
    let gate = Gate()
    let log = SharedLog<Bool>()
    queue.async(group: group) { _ in
    } completion: { _ in
      log.append(gate.pass())
    }
    queue.async(group: group) { _ in
      gate.open()
    } completion: { _ in
    }
    #expect(group.finishes())
    #expect(log.entries == [true])
  }

  @Test func `a completion can wait for a later call on a serial target queue`() throws {
    let queue = try ConnectionQueue(target: DispatchQueue(label: "target"))
    let done = DispatchSemaphore(value: 0)
    queue.async { _ in
    } completion: { _ in
      queue.async { _ in
      } completion: { _ in
      }
      #expect((try? queue.sync { _ in 3 }) == 3)
      done.signal()
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
  }
}
