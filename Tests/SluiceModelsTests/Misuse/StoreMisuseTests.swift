import Foundation
import SluiceModels
import Synchronization
import TestSupport
import Testing

/// Each way to use a store that is not usable must throw a clear error without a deadlock.
@Suite(.tags(.models), .timeLimit(.minutes(10))) struct `misuse of model stores` {
  typealias Done = @Sendable (Result<Int64?, any Error>) -> Void

  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isWriting: Bool
    /// Whether the way blocks the calling thread.
    let isWaiting: Bool
    let use: @Sendable (ModelStore, @escaping Done) -> Void

    static let all = [
      Way(testDescription: "syncWrite", isWriting: true, isWaiting: true) { store, done in
        done(Result { try store.syncWrite { try $0.insert(Person("Ada")).id } })
      },
      Way(testDescription: "syncRead", isWriting: false, isWaiting: true) { store, done in
        done(Result { try store.syncRead { Int64(try $0.count(Person.all)) } })
      },
      Way(testDescription: "write", isWriting: true, isWaiting: false) { store, done in
        Task { done(await result { try await store.write { try $0.insert(Person("Ada")).id } }) }
      },
      Way(testDescription: "read", isWriting: false, isWaiting: false) { store, done in
        Task { done(await result { try await store.read { Int64(try $0.count(Person.all)) } }) }
      },
      Way(testDescription: "asyncWrite", isWriting: true, isWaiting: false) { store, done in
        store.asyncWrite {
          try $0.insert(Person("Ada")).id
        } completion: {
          done($0)
        }
      },
    ]

    private static func result(_ body: () async throws -> Int64?) async -> Result<Int64?, any Error>
    {
      do { return .success(try await body()) } catch { return .failure(error) }
    }
  }

  /// Returns the error code of the outcome, or nil for success.
  private func code(
    _ way: Way, _ body: @escaping @Sendable (@escaping Done) -> Void
  ) async -> ResultCode? {
    let result = await withCheckedContinuation { continuation in
      body { continuation.resume(returning: $0) }
    }
    do {
      _ = try result.get()
      return nil
    } catch {
      return (error as? SQLiteError)?.code ?? .internal
    }
  }

  @Test(arguments: Way.all) func `using a store without a database throws misuse`(_ way: Way) async
  {
    let store = ModelStore(creating: Person.self)
    #expect(await code(way) { way.use(store, $0) } == .misuse)
  }

  @Test(arguments: Way.all)
  func `using a store whose database cannot be opened throws cantOpen each time`(_ way: Way) async {
    let store = ModelStore(creating: Person.self) {
      try ConnectionQueue(path: "/nowhere/at all/a.db")
    }
    for _ in 0..<2 { #expect(await code(way) { way.use(store, $0) } == .cantOpen) }
  }

  @Test(arguments: Way.all) func `using a store whose database is closed throws misuse`(_ way: Way)
    async throws
  {
    let store = ModelStore(creating: Person.self) { try ConnectionQueue() }
    try close(store)
    #expect(await code(way) { way.use(store, $0) } == .misuseClosed)
  }

  private func close(_ store: ModelStore) throws { try store.queue.syncClose() }

  @Test(arguments: Way.all)
  func `a store with a read-only database can read, and throws readOnly for writes`(_ way: Way)
    async throws
  {
    let file = URL.temporaryDirectory.appending(path: "sluice-\(UUID()).db")
    defer { try? FileManager.default.removeItem(at: file) }
    try Connection(url: file).createTable(of: Person.self)
    let store = ModelStore(creating: Person.self) {
      try ConnectionQueue { try Connection(url: file, readOnly: true) }
    }
    #expect(await code(way) { way.use(store, $0) } == (way.isWriting ? .readOnly : nil))
  }

  @Test(arguments: Way.all)
  func `a nested blocking call to a store throws misuse, and other nested calls run afterwards`(
    _ way: Way
  )
    async throws
  {
    let store = ModelStore(creating: Person.self) { try ConnectionQueue() }
    let code = await code(way) { done in
      let outer = Result { try store.syncWrite { _ in way.use(store, done) } }
      #expect(throws: Never.self) { try outer.get() }
    }
    // A call that does not block runs afterwards.
    #expect(code == (way.isWaiting ? .misuse : nil))
    #expect(try await store.read { $0.isInAutocommit })
  }

  @Test(arguments: Way.all)
  func `a blocking call to a store from the closure that opens its database throws misuse`(
    _ way: Way
  )
    async throws
  {
    let itself = Mutex<ModelStore?>(nil)
    let inner = Mutex<Result<Int64?, any Error>?>(nil)
    let store = ModelStore(creating: Person.self) {
      if way.isWaiting, let store = itself.withLock({ $0 }) {
        way.use(store) { result in inner.withLock { $0 = result } }
        #expect(failure { try store.queue }?.code == .misuse)
        #expect(failure { try store.use(ConnectionQueue()) }?.code == .misuse)
      }
      return try ConnectionQueue()
    }
    itself.withLock { $0 = store }
    // The store retains the closure that opens it, so the closure must not retain the store.
    defer { itself.withLock { $0 = nil } }
    #expect(await code(way) { way.use(store, $0) } == nil)
    guard way.isWaiting else { return }
    let result = try #require(inner.withLock { $0 })
    #expect(failure { try result.get() }?.code == .misuse)
  }

  @Test func `using a store whose table cannot be created throws each time and creates nothing`()
    async throws
  {
    struct Broken: Codable, Model {
      static let table = ModelTable("broken", key: \Broken.id, .check(sql: "nothing > 1"))
      var id: Int64?
    }
    let store = ModelStore(creating: Person.self, Broken.self) { try ConnectionQueue() }
    for way in Way.all { #expect(await code(way) { way.use(store, $0) } == .error) }
    let tables = try await queue(of: store).perform { connection in
      try connection.strings("SELECT name FROM sqlite_schema")
    }
    #expect(tables.isEmpty)
  }

  private func queue(of store: ModelStore) throws -> ConnectionQueue { try store.queue }
}
