import Sluice
import TestSupport

extension ConnectionPublisher {
  /// Waits for the completion, and throws its error.
  fileprivate func finish() throws {
    var failure: (any Error)?
    sink { completion in
      if case .failure(let error) = completion { failure = error }
    } receiveValue: { _ in
    }
    if let failure { throw failure }
  }
}

private struct Found: Decodable, Sendable { let a: Int }

extension MisuseMatrix {
  static let publishers: [Entry<Connection>] = [
    Entry("Connection.rowPublisher(sql:bind:)", .works) { connection in
      try connection.rowPublisher(sql: select).mapRows(.values).finish()
    },
    Entry("Connection.rowPublisher(_:)", .works) { connection in
      try connection.rowPublisher("SELECT * FROM t").mapRows(.values).finish()
    },
  ]

  /// Members for reading, which both kinds of queues share.
  static let reader: [QueueEntry<ConnectionQueue>] =
    streams + observations + observedModels + database

  private static let streams: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseReader.rows(_:sql:parameters:_:_:_:_:_:_:)") {
      try await all($0.rows(.values, sql: select))
    },
    .awaits("DatabaseReader.rows(_:sql:parameters:)") {
      try await all($0.rows(.values, sql: select, parameters: [:]))
    },
    .awaits("DatabaseReader.rows(_:sql:parameters:_:_:_:_:_:_:)") {
      try await all($0.rows(Found.self, sql: "SELECT a FROM t"))
    },
    .awaits("DatabaseReader.rows(_:sql:parameters:)") {
      try await all($0.rows(Found.self, sql: "SELECT a FROM t", parameters: []))
    },
    .awaits("DatabaseReader.rows(_:_:)") { try await all($0.rows(.values, "SELECT a FROM t")) },
    .awaits("DatabaseReader.rows(_:_:)") { try await all($0.rows(Found.self, "SELECT a FROM t")) },
    .awaits("DatabaseReader.rowPublisher(sql:bind:)") {
      try await all($0.rowPublisher(sql: select).mapRows(.values))
    },
    .awaits("DatabaseReader.rowPublisher(_:)") {
      try await all($0.rowPublisher("SELECT a FROM t").mapRows(.values))
    },
  ]

  private static let observations: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseReader.observe(_:sql:parameters:_:_:_:_:_:_:)") {
      try await first($0.observe(.values, sql: select))
    },
    .awaits("DatabaseReader.observe(_:sql:parameters:)") {
      try await first($0.observe(.values, sql: select, parameters: [:]))
    },
    .awaits("DatabaseReader.observe(_:sql:parameters:_:_:_:_:_:_:)") {
      try await first($0.observe(Found.self, sql: "SELECT a FROM t"))
    },
    .awaits("DatabaseReader.observe(_:sql:parameters:)") {
      try await first($0.observe(Found.self, sql: "SELECT a FROM t", parameters: []))
    },
    .awaits("DatabaseReader.observe(_:_:)") {
      try await first($0.observe(.values, "SELECT a FROM t"))
    },
    .awaits("DatabaseReader.observe(_:_:)") {
      try await first($0.observe(Found.self, "SELECT a FROM t"))
    },
    .awaits("DatabaseReader.observe(_:)") {
      try await first($0.observe { try $0.query(.values, sql: select) })
    },
    .awaits("DatabaseReader.live(_:_:)") { try await $0.live(.values, "SELECT a FROM t").load() },
    .awaits("DatabaseReader.live(_:_:)") {
      try await $0.live(Found.self, "SELECT a FROM t").load()
    },
    .awaits("DatabaseReader.live(_:sql:parameters:)") {
      try await $0.live(.values, sql: select).load()
    },
    .awaits("DatabaseReader.live(_:sql:parameters:)") {
      try await $0.live(Found.self, sql: "SELECT a FROM t").load()
    },
    .awaits("DatabaseReader.live(initial:_:)") {
      try await $0.live(initial: []) { try $0.query(.values, sql: select) }.load()
    },
    .awaits("DatabaseReader.live(window:_:_:)") {
      try await $0.live(window: 0..<1, .values, "SELECT a FROM t").load()
    },
    // Errors are reported to the subscribers.
    .waits("DatabaseReader.tableChanges()", .never) { $0.tableChanges() },
    .waits("DatabaseReader.rowChanges(in:schema:limit:)", .never) { $0.rowChanges(in: "t") },
    .waits("DatabaseReader.noticeOtherWriters()", .never) { $0.noticeOtherWriters() },
    .waits("DatabaseReader.watchOtherWriters()", .asks) { try $0.watchOtherWriters() },
  ]

  private static func all<S: AsyncSequence>(_ sequence: S) async throws {
    for try await _ in sequence {}
  }

  static func first<S: AsyncSequence>(_ sequence: S) async throws {
    for try await _ in sequence { break }
  }
}
