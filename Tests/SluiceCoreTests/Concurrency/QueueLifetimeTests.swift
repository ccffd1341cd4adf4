import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the lifetime of a queue` {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func makeQueue() throws -> ConnectionQueue {
    try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
  }

  /// Whether a connection still has the database open, so that another one cannot leave WAL mode.
  private var isOpen: Bool {
    get throws {
      let connection = try Connection(path: folder.file(), configuration: .impatient)
      return failure { try connection.execute(sql: "PRAGMA journal_mode = delete") }?.code == .busy
    }
  }

  @Test func `a call on a closed queue throws misuse`() throws {
    let queue = try makeQueue()
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try isOpen)
    try queue.syncClose()
    #expect(try !isOpen)
    #expect(failure { try queue.sync { try $0.execute(sql: "SELECT 1") } }?.code == .misuseClosed)
    #expect(failure { try queue.syncTransaction { _, _ in } }?.code == .misuseClosed)
    #expect(failure { try queue.sync { _ in } }?.code == .misuseClosed)
    try queue.syncClose()
  }

  @Test func `close waits for earlier calls`() throws {
    let queue = try makeQueue()
    let log = SharedLog<Int>()
    for number in 0..<100 {
      queue.async {
        try $0.execute(sql: "CREATE TABLE t\(number)(a)")
      } completion: { _ in
      }
      queue.async { _ in
        log.append(number)
      } completion: { _ in
      }
    }
    try queue.syncClose()
    #expect(log.entries == Array(0..<100))
    let connection = try Connection(path: folder.file())
    #expect(try connection.integers("SELECT count(*) FROM sqlite_master") == [100])
  }

  @Test func `a released queue still runs its pending calls`() throws {
    let gate = Gate()
    let group = DispatchGroup()
    let log = SharedLog<Int>()
    do {
      let queue = try makeQueue()
      queue.async(group: group) { _ in
        #expect(gate.pass())
      } completion: { _ in
      }
      for number in 0..<100 {
        queue.async(group: group) { connection in
          try connection.execute(sql: "CREATE TABLE t\(number)(a)")
          log.append(number)
        } completion: { _ in
        }
      }
    }
    #expect(log.entries == [])
    gate.open()
    #expect(group.finishes())
    #expect(log.entries == Array(0..<100))
  }

  @Test func `releasing the last reference to a queue closes its connection`() throws {
    let counter = SharedLog<String>()
    do {
      let queue = try makeQueue()
      try queue.sync { connection in
        try connection.execute(sql: "CREATE TABLE t(a)")
        let witness = Witness(counter)
        try connection.addFunction("f", arity: 0) { _ in withExtendedLifetime(witness) { .null } }
      }
      #expect(counter.entries == [])
      #expect(try isOpen)
    }
    #expect(counter.entries == ["released"])
    #expect(try !isOpen)
  }

  @Test func `a queue released by its last call closes after the call`() throws {
    let counter = SharedLog<String>()
    let gone = Gate()
    do {
      let queue = try makeQueue()
      try queue.sync { connection in
        let witness = Witness(counter, gone)
        try connection.addFunction("f", arity: 0) { _ in withExtendedLifetime(witness) { .null } }
      }
      let gate = Gate()
      queue.async { _ in
        #expect(gate.pass())
      } completion: { _ in
        counter.append("completed")
      }
      gate.open()
    }
    #expect(gone.pass())
    #expect(counter.entries.contains("released"))
    #expect(try !isOpen)
  }

  @Test func `a queue released inside its own call closes when the call returns`() throws {
    /// Holds the only reference to a queue. Only one thread uses it.
    final class Holder: @unchecked Sendable {
      var queue: ConnectionQueue?
    }
    let counter = SharedLog<String>()
    let holder = Holder()
    holder.queue = try makeQueue()
    try holder.queue?.sync { connection in
      let witness = Witness(counter)
      try connection.addFunction("f", arity: 0) { _ in withExtendedLifetime(witness) { .null } }
    }
    let sum = try holder.queue?.sync { connection in
      holder.queue = nil
      counter.append("let go")
      defer { counter.append("returned") }
      return try connection.first(.column(.int), sql: "SELECT 1 + 2")
    }
    #expect(sum == 3)
    #expect(counter.entries == ["let go", "returned", "released"])
    #expect(try !isOpen)
  }

  @Test func `a queue uses the connection that its opening closure returns`() throws {
    let queue = try ConnectionQueue(label: "temporary", opening: { try Connection.temporary() })
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (7)") }
    #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [7])
    #expect(throws: ForeignError()) { try ConnectionQueue(opening: { throw ForeignError() }) }
  }

  @Test func `opening a missing file without creating it throws cantOpen`() {
    let path = folder.path + "/none.db"
    #expect(failure { try ConnectionQueue(path: path, create: false) }?.code == .cantOpen)
    #expect(failure { try ConnectionReadQueue(path: path) }?.code == .cantOpen)
  }

  @Test func `a queue runs its calls on its target queue`() throws {
    let target = DispatchQueue(label: "target")
    let key = DispatchSpecificKey<Bool>()
    target.setSpecific(key: key, value: true)
    let queue = try ConnectionQueue(label: "q", qos: .utility, target: target)
    let group = DispatchGroup()
    let log = SharedLog<Bool?>()
    queue.async(group: group, qos: .userInitiated) { _ in
      log.append(DispatchQueue.getSpecific(key: key))
    } completion: { _ in
    }
    #expect(group.finishes())
    #expect(log.entries == [true])
  }
}

/// Logs its deallocation and opens a gate.
private final class Witness: Sendable {
  private let log: SharedLog<String>
  private let gate: Gate?

  init(_ log: SharedLog<String>, _ gate: Gate? = nil) {
    self.log = log
    self.gate = gate
  }

  deinit {
    log.append("released")
    gate?.open()
  }
}
