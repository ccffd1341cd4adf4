import Foundation
import SluiceModels
import TestSupport
import Testing

/// Each member in each situation returns a value, or throws the error of its entry.
///
/// The connection remains usable.
@Suite(.tags(.models), .timeLimit(.minutes(10))) struct `misuse of models` {
  private let file = URL.temporaryDirectory.appending(path: "sluice-\(UUID()).db")

  @Test(arguments: ModelSituation.allCases)
  func `each model member of a connection throws exactly the errors of its entry`(
    _ situation: ModelSituation
  ) throws {
    for entry in ModelEntries.all {
      defer { removeFiles() }
      let db = try open(situation)
      let error = try error(of: entry, in: situation, db)
      #expect(error?.code.primary == entry.refusals[situation], "\(entry.symbol): \(error as Any)")
      try expectUsable(db, situation)
    }
  }

  @Test func `each public model member of a connection has an entry for each overload`() throws {
    var counts: [String: Int] = [:]
    for file in Self.sources("Rows") + Self.sources("Tables") + Self.sources("Migrations")
    where file.lastPathComponent.hasPrefix("Connection+") {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        guard let found = line.firstMatch(of: /^  public func (\w+)/) else { continue }
        counts[String(found.1), default: 0] += 1
      }
    }
    #expect(counts.count > 15)
    var entries = Dictionary(grouping: ModelEntries.all, by: \.symbol).mapValues(\.count)
    // The two entries are calls without and with `ifNotExists`.
    entries["createTable"] = 1
    #expect(counts == entries)
  }

  private static func sources(_ folder: String) -> [URL] {
    let url = URL(filePath: #filePath).appending(path: "../../../../Sources/SluiceModels/\(folder)")
      .standardizedFileURL
    return (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil))
      ?? []
  }

  private func removeFiles() {
    for suffix in ["", "-journal", "-wal", "-shm"] {
      // Most of these files do not exist.
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }
}

extension `misuse of models` {
  private func open(_ situation: ModelSituation) throws -> Connection {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let db = try Connection(url: file, configuration: configuration)
    if situation != .withoutTables {
      try db.createTable(of: Person.self)
      try db.execute("ALTER TABLE person ADD COLUMN note")
      try db.insert([Person("Ada", age: 36), Person("Bob", age: 20), Person("Cleo")])
    }
    guard situation == .readOnly else { return db }
    try db.close()
    return try Connection(url: file, readOnly: true)
  }

  /// Returns the error that an entry throws in a situation.
  private func error(
    of entry: ModelEntry, in situation: ModelSituation, _ db: Connection
  ) throws -> SQLiteError? {
    switch situation {
    case .fresh, .readOnly, .withoutTables: return try error { try entry.use(db) }
    case .closed:
      try db.close()
      return try error { try entry.use(db) }
    case .atRow:
      let statement = try db.prepare(sql: "SELECT * FROM person")
      let hasRow = try statement.step() != nil
      #expect(hasRow)
      return try error { try entry.use(db) }
    case .inTransaction:
      return try db.transaction { db, _ in try error { try entry.use(db) } }.value
    case .busy:
      let other = try Connection(url: file)
      try other.begin(.immediate)
      defer { try? other.close() }
      return try error { try entry.use(db) }
    case .inFunction: return try called(by: "SELECT called()", entry, db)
    case .inWritingFunction:
      try db.execute("CREATE TABLE log(a)")
      return try called(by: "INSERT INTO log VALUES (called())", entry, db)
    case .inCollation:
      return try called(
        by: "SELECT column1 FROM (VALUES ('b'), ('a')) ORDER BY column1 COLLATE compared", entry, db
      )
    }
  }

  /// Returns the error that an entry throws inside a callback, which calls the entry once.
  private func called(by sql: SQL, _ entry: ModelEntry, _ db: Connection) throws -> SQLiteError? {
    var outcome: Result<SQLiteError?, any Error>?
    let use = { outcome = outcome ?? Result { try self.error { try entry.use(db) } } }
    try db.addFunction("called", arity: 0) { _ in
      use()
      return 1
    }
    try db.addCollation("compared") { (first: String, second: String) in
      use()
      return SQLOrder(first, second)
    }
    // The callback may have ended the statement.
    _ = try error { try db.execute(sql) }
    return try #require(outcome).get()
  }

  /// Returns the `SQLiteError` that `use` throws, if any.
  ///
  /// Other errors are rethrown.
  private func error(_ use: () throws -> Void) throws -> SQLiteError? {
    do {
      try use()
      return nil
    } catch let error as SQLiteError { return error }
  }

  private func expectUsable(_ db: Connection, _ situation: ModelSituation) throws {
    guard situation != .closed else { return #expect(!db.isOpen) }
    #expect(db.isInAutocommit)
    #expect(try db.option(.foreignKeys))
    #expect(try !db.option(.legacyAlterTable))
    #expect(try db.strings("PRAGMA integrity_check") == ["ok"])
    guard situation != .readOnly else { return }
    try db.createTable(of: Sample.self)
    #expect(try db.count(Sample.all) == 0)
    try db.close()
  }
}
