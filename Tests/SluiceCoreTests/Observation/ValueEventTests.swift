import SluiceCore
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `events of publishers` {
  private final class Log: Sendable {
    private let events = Mutex<[String]>([])
    func add<Output>(_ event: ValueEvent<Output>) {
      let text =
        switch event {
        case .subscription: "subscription"
        case .request(let demand): "request \(demand.count.map(String.init) ?? "all")"
        case .value(let value): "value \(value)"
        case .completion(.finished): "finished"
        case .completion(.failure(let error as SQLiteError)): "failure \(error.code == .error)"
        case .completion(.failure): "failure"
        case .cancel: "cancel"
        }
      events.withLock { $0.append(text) }
    }
    var all: [String] { events.withLock { $0 } }
  }

  private let log = Log()
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.syncWrite { try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  private func numbers() -> ValuePublisher<[Int]> {
    queue.observe(.column(.int), "SELECT a FROM t").handleEvents { [log] in log.add($0) }
  }

  @Test func `each event is reported before it happens`() async throws {
    var iterator: ValuePublisher<[Int]>.Iterator? = numbers().makeAsyncIterator()
    #expect(try await iterator?.next() == [1])
    try await queue.write { try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(try await iterator?.next() == [1, 2])
    iterator = nil
    #expect(
      log.all == [
        "subscription", "request 1", "value [1]", "request 1", "value [1, 2]", "cancel",
      ])
  }

  @Test func `a failure is reported, and nothing after it`() async throws {
    let failing = queue.observe(.column(.int), "SELECT a FROM missing").handleEvents {
      [log] in log.add($0)
    }
    await #expect(throws: SQLiteError.self) { for try await _ in failing {} }
    #expect(log.all == ["subscription", "request 1", "failure true"])
  }

  @Test func `the events of a row publisher end with its completion`() async throws {
    let rows = queue.rowPublisher("SELECT a FROM t").mapRows(.column(.int)).handleEvents {
      [log] in log.add($0)
    }
    var all: [Int] = []
    for try await number in rows { all.append(number) }
    #expect(all == [1])
    #expect(log.all.last == "finished")
    #expect(log.all.filter { $0 == "finished" || $0 == "cancel" }.count == 1)
  }

  @Test func `a sink requests all values, and its token cancels once`() async throws {
    let (values, continuation) = AsyncStream.makeStream(of: [Int].self)
    let token = numbers().sink { _ in
    } receiveValue: {
      continuation.yield($0)
    }
    for await value in values {
      #expect(value == [1])
      break
    }
    token.cancel()
    token.cancel()
    #expect(log.all == ["subscription", "request all", "value [1]", "cancel"])
  }

  @Test func `each subscription has its own events, and operators can follow`() async throws {
    let publisher = numbers().map(\.count)
    for _ in 0..<2 {
      for try await count in publisher {
        #expect(count == 1)
        break
      }
    }
    #expect(
      log.all
        == Array(repeating: ["subscription", "request 1", "value [1]", "cancel"], count: 2).flatMap(
          \.self))
  }

  @Test func `the events change nothing for a subscriber that requests few values`() async throws {
    let limited = numbers()
    final class Two: ValueSubscriber {
      let subscription = Mutex<(any ValueSubscription)?>(nil)
      let received = Mutex<[[Int]]>([])
      let first = AsyncStream.makeStream(of: Void.self)
      func receive(subscription: any ValueSubscription) {
        self.subscription.withLock { $0 = subscription }
        subscription.request(.none)
        subscription.request(.max(1))
      }
      func receive(_ value: [Int]) -> ValueDemand {
        received.withLock { $0.append(value) }
        first.continuation.finish()
        return .none
      }
      func receive(completion: ValueCompletion) {}
    }
    let two = Two()
    limited.subscribe(two)
    for await _ in two.first.stream {}
    try await queue.write { try $0.execute("INSERT INTO t VALUES (2)") }
    try await queue.perform { _ in }
    #expect(two.received.withLock(\.self) == [[1]])
    two.subscription.withLock { $0.take() }?.cancel()
    #expect(
      log.all == ["subscription", "request 0", "request 1", "value [1]", "cancel"])
  }
}
