import Dispatch
import SluiceModels
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.models)) struct `model stores` {
  /// Each test has its own store.
  private let store = ModelStore(creating: Person.self, Entry.self) { try ConnectionQueue() }

  struct Kept: Codable, StoredModel, Equatable {
    static let store = ModelStore(creating: Kept.self) { try ConnectionQueue() }
    static let table = ModelTable("kept", key: \Kept.id)
    var id: Int64?
    var name: String
  }

  @Test
  func `a stored model reads and writes its store's database, and creates its table on first use`()
    async throws
  {
    let kept = try await Kept.write { connection in
      try connection.insert(Kept(name: "Ada"))
    }
    #expect(try await Kept.read { connection in try connection.fetch(Kept.all) } == [kept])
    try synchronously {
      try Kept.syncWrite { connection in
        try connection.update(Kept.self, key: 1, .set(\.name, to: "Augusta"))
      }
      let name = try Kept.syncRead { connection in try connection.fetch(Kept.self, key: 1)?.name }
      #expect(name == "Augusta")
    }
    let result: Result<Int, any Error> = await withCheckedContinuation { continuation in
      Kept.asyncWrite { connection in
        try connection.deleteAll(Kept.self)
      } completion: { result in
        continuation.resume(returning: result)
      }
    }
    #expect(try result.get() == 1)
  }

  @Test func `a write to a store that throws is rolled back and rethrows its error`() async throws {
    struct Reason: Error {}
    await #expect(throws: Reason.self) {
      try await store.write { connection in
        try connection.insert(Person("Ada"))
        throw Reason()
      }
    }
    #expect(try await store.read { connection in try connection.count(Person.all) } == 0)
    synchronously {
      let result = Result {
        try store.syncWrite { connection in
          try connection.insert(Person("Ada"))
          throw Reason()
        }
      }
      #expect(throws: Reason.self) { try result.get() }
    }
    let count = try await store.read { connection in try connection.count(Person.all) }
    #expect(count == 0)
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      store.asyncWrite { connection in
        try connection.insert(Person("Ada"))
        throw Reason()
      } completion: { result in
        continuation.resume(returning: result)
      }
    }
    #expect(throws: Reason.self) { try result.get() }
    #expect(try await store.read { connection in try connection.count(Person.all) } == 0)
  }

  @Test func `a store re-creates a table that was rolled back with the first write`() async throws {
    struct Reason: Error {}
    let queue = try ConnectionQueue()
    let store = ModelStore(creating: Person.self) { queue }
    await #expect(throws: Reason.self) {
      try await store.write { connection in
        #expect(try connection.hasTable(of: Person.self))
        throw Reason()
      }
    }
    #expect(
      try await queue.perform { connection in try connection.hasTable(of: Person.self) } == false)
    #expect(try await store.write { connection in try connection.insert(Person("Ada")) }.id == 1)
  }

  @Test func `a store re-creates a table that was rolled back with the first scheduled write`()
    async throws
  {
    struct Reason: Error {}
    let queue = try ConnectionQueue()
    let store = ModelStore(creating: Person.self) { queue }
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      store.asyncWrite { _ in
        throw Reason()
      } completion: { result in
        continuation.resume(returning: result)
      }
    }
    #expect(throws: Reason.self) { try result.get() }
    #expect(
      try await queue.perform { connection in try connection.hasTable(of: Person.self) } == false)
    #expect(try await store.write { connection in try connection.insert(Person("Ada")) }.id == 1)
  }

  @Test func `a store's database can be set only once`() async throws {
    let store = ModelStore(creating: Person.self)
    await #expect(throws: SQLiteError.self) { try await store.read { _ in } }
    #expect(failure { try store.queue }?.code == .misuse)
    try store.use(ConnectionQueue())
    #expect(try await store.write { connection in try connection.insert(Person("Ada")) }.id == 1)
    #expect(failure { try store.use(ConnectionQueue()) }?.code == .misuse)
  }

  @Test func `a store throws if its database fails to open, and retries on the next use`()
    async throws
  {
    let tries = Tries()
    let store = ModelStore(creating: Person.self) {
      guard tries.count.add(1, ordering: .relaxed).newValue > 1 else {
        throw SQLiteError(.cantOpen, "Not yet")
      }
      return try ConnectionQueue()
    }
    #expect(failure { try store.queue }?.code == .cantOpen)
    #expect(try await store.read { connection in try connection.count(Person.all) } == 0)
  }

  @Test func `fifty concurrent tasks can write to one store`() async throws {
    try await withThrowingTaskGroup { group in
      for number in 1...50 {
        group.addTask {
          _ = try await store.write { connection in
            try connection.insert(Person("Person \(number)", age: number))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.read { connection in try connection.count(Person.all) } == 50)
  }

  @Test func `models can be used on the connections of queues, transactions and savepoints`()
    async throws
  {
    let queue = try ConnectionQueue()
    let adults = Person.where(\.age >= 18).order(by: \.name)
    let people = [Person("Ada", age: 36), Person("Eve", age: 7)]
    try await queue.perform { connection in
      try connection.createTable(of: Person.self)
      try connection.insert(people)
    }
    let names = try await queue.transaction { connection, command in
      try connection.savepoint { connection, command in
        try connection.deleteAll(Person.self)
        command = .rollback
      }
      return try connection.fetch(adults).map(\.name)
    }.value
    #expect(names == ["Ada"])
    try synchronously {
      let ada = try queue.sync { connection in try connection.fetchFirst(adults) }
      #expect(ada?.age == 36)
    }
  }

  private final class Tries: Sendable { let count = Atomic(0) }

  private func synchronously(_ body: () throws -> Void) rethrows { try body() }
}
