import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `observing models` {
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    _ = try queue.sync { connection in
      try connection.createTable(of: Person.self)
      return try connection.insert([Person("Ada", age: 36), Person("Bob", age: 20)]).count
    }
  }

  @Test func `an observed query emits again when its rows change`() async throws {
    let query = Person.where(\.age >= 18).order(by: \.name)
    var found = queue.observe(query).makeAsyncIterator()
    #expect(try await found.next()?.map(\.name) == ["Ada", "Bob"])
    _ = try await queue.perform { try $0.delete(Person.self, key: 1) }
    #expect(try await found.next()?.map(\.name) == ["Bob"])
  }

  @Test func `a pool emits the results of an observed query`() async throws {
    let pool = try ConnectionPool()
    try await pool.write { try $0.createTable(of: Person.self) }
    var found = pool.observe(Person.where(\.age >= 18)).makeAsyncIterator()
    #expect(try await found.next()?.count == 0)
    _ = try await pool.write { try $0.insert(Person("Ada", age: 36)).name }
    #expect(try await found.next()?.map(\.name) == ["Ada"])
    #expect(try await pool.read { try $0.fetch(Person.all) }.count == 1)
  }

  @Test func `an observed model emits its changes, and nil after its deletion`() async throws {
    var found = queue.observe(Person.self, key: 1).makeAsyncIterator()
    #expect(try await found.next()??.name == "Ada")
    _ = try await queue.perform { try $0.update(Person("Eve", id: 1)) }
    #expect(try await found.next()??.name == "Eve")
    _ = try await queue.perform { try $0.deleteAll(Person.self) }
    #expect(try await found.next() == .some(nil))
  }

  @Test func `an observed count emits again when the count changes`() async throws {
    var found = queue.observeCount(of: Person.where(\.age >= 30)).makeAsyncIterator()
    #expect(try await found.next() == 1)
    _ = try await queue.perform { try $0.insert(Person("Eve", age: 40)).name }
    #expect(try await found.next() == 2)
  }
}
