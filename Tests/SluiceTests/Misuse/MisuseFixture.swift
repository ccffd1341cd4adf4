import Foundation
import Sluice
import SluiceExtras
import Testing

/// A connection and one of its statements, which a test can bring into any ``Situation``.
final class MisuseFixture {
  /// The threading modes.
  ///
  /// With a mutex, Sluice reads rows through different C functions than without a mutex.
  static let modes = [Configuration.ThreadingMode.multiThread, .serialized]

  /// A UUID, a date, a property list and a keyed archive, which are encoded only once.
  private static let encoded = Result {
    try Connection().query(
      .column(.value), sql: "VALUES (?), (?), (?), (?)",
      parameters: .uuidString(UUID()), .iso8601(.now), .propertyList([1]),
      .keyedArchive(NSString("x")))
  }

  let connection: Connection
  let statement: Statement
  private let script = Script()

  /// The actions of the statement's functions and collations for their next call.
  private final class Script {
    var inFunction: ((borrowing SQLFunctionArguments) -> Void)?
    var inAggregate: ((borrowing SQLFunctionArguments) -> Void)?
    var inCollation: (() -> Void)?
  }

  private final class Gathering: SQLAggregateFunction {
    private let script: Script
    init(_ script: Script) { self.script = script }

    func step(_ values: borrowing SQLFunctionArguments) {
      let play = script.inAggregate.take()
      play?(values)
    }

    func final() -> DatabaseValue { .null }
  }

  /// A box that lets a closure capture a row.
  private final class Kept {
    let row: Row
    init(_ row: consuming Row) { self.row = row }
  }

  init(_ mode: Configuration.ThreadingMode? = nil) throws {
    var configuration = Configuration()
    configuration.threadingMode = mode
    connection = try Connection(configuration: configuration)
    try connection.execute(
      sql: """
        CREATE TABLE t(
          id INTEGER PRIMARY KEY, name, bytes, real, missing, uuid, uuid_bytes, date, json, list,
          archive);
        CREATE TABLE u(a);
        CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE INDEX thing_by_name ON thing(name);
        INSERT INTO thing VALUES (1, 'a')
        """)
    let encoded = try Self.encoded.get().map(SQLParameter.value)
    try connection.execute(
      sql: """
        WITH ids(id) AS (VALUES (1), (2), (3))
        INSERT INTO t
        SELECT id, 'name' || id, x'00ff', 1.5, NULL, ?, zeroblob(16), ?, '[1]', ?, ? FROM ids
        """, parameters: encoded[0], encoded[1], encoded[2], encoded[3])
    try connection.addFunction("called", arity: -1, options: [.subtype, .resultSubtype]) {
      [script] values in
      let play = script.inFunction.take()
      play?(values)
      return .null
    }
    try connection.addAggregateFunction("gathered", arity: -1) { [script] in Gathering(script) }
    try connection.addCollation("compared") { [script] (first: String, second: String) in
      let play = script.inCollation.take()
      play?()
      return SQLOrder(first, second)
    }
    try connection.addFunction("spare", arity: 0) { _ in 1 }
    try connection.addCollation("spare") { (_: String, _: String) in SQLOrder.same }
    statement = try connection.prepare(
      sql: """
        SELECT * FROM t WHERE called() IS NULL AND name <> :other ORDER BY name COLLATE compared
        """)
    try statement.bind("")
  }
}

extension MisuseFixture {
  /// Returns the error that `use` throws in a situation of the connection and the statement.
  func refusal(_ situation: Situation, _ use: @escaping () throws -> Void) throws -> SQLiteError? {
    switch situation {
    case .fresh: return try error(use)
    case .atRow:
      let hasRow = try statement.step() != nil
      #expect(hasRow)
      return try error(use)
    case .closed:
      try connection.close()
      return try error(use)
    case .inFunction:
      return try perform(statement) { note in
        script.inFunction = { _ in note { try self.error(use) } }
      }
    case .inCollation:
      return try perform(statement) { note in
        script.inCollation = { note { try self.error(use) } }
      }
    case .whileLent:
      guard let row = try statement.step() else { throw NoSuchSituation() }
      return try row.withUTF8(at: 1) { _ in try error(use) }
    case .kept:
      nonisolated(unsafe) let kept = connection
      let queue = try ConnectionQueue { unsafe kept }
      try queue.sync { _ in }
      return try error(use)
    case .inAggregate, .nested, .stale: throw NoSuchSituation()
    }
  }

  /// Returns the error that the entry throws for the first row in a situation.
  func refusal(_ situation: Situation, _ entry: Entry<Row>) throws -> SQLiteError? {
    let other = try connection.prepare(sql: statement.sql)
    guard let row = try other.bind("").step() else { throw NoSuchSituation() }
    let kept = Kept(row)
    let use = { try entry.use(kept.row) }
    guard situation == .stale else { return try refusal(situation, use) }
    _ = try other.step()
    return try error(use)
  }

  /// Returns the error that the entry throws for function arguments in a situation.
  func refusal(
    _ situation: Situation, _ entry: Entry<SQLFunctionArguments>
  ) throws -> SQLiteError? {
    let isAggregate = situation == .inAggregate
    let statement = try connection.prepare(
      sql: "SELECT \(isAggregate ? "gathered" : "called")(id, name, bytes, ?) FROM t")
    try statement.bind(.object("x"))
    return try perform(statement) { note in
      let play = { (values: borrowing SQLFunctionArguments) in
        do {
          try entry.use(values)
          note { nil }
        } catch { note { try self.error { throw error } } }
      }
      if isAggregate { script.inAggregate = play } else { script.inFunction = play }
    }
  }

  /// Runs a statement that calls one of its functions or collations, and returns the outcome that the callback noted.
  private func perform(
    _ statement: Statement, _ prepare: (@escaping (() throws -> SQLiteError?) -> Void) -> Void
  ) throws -> SQLiteError? {
    var noted: Result<SQLiteError?, any Error>?
    prepare { noted = Result(catching: $0) }
    let end = try error { try statement.execute() }
    // Only an intended interruption may end the statement early.
    #expect(end == nil || end?.code == .interrupt)
    return try #require(noted).get()
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

  /// Checks that an open connection is usable, and that a closed one throws misuse.
  func expectUsable() throws {
    guard connection.isOpen else {
      #expect(try error { try connection.execute(sql: "SELECT 1") }?.code == .misuse)
      #expect(try error { try statement.execute() }?.code == .misuse)
      return
    }
    if !connection.isInAutocommit { try connection.rollback() }
    try statement.reset()
    #expect(try statement.bind("").rows().count == 3)
    try connection.execute(sql: "CREATE TABLE fresh(a); INSERT INTO fresh VALUES (42)")
    #expect(try connection.first(.column(.int), sql: "SELECT a FROM fresh") == 42)
    let check = try connection.query(.column(.string), sql: "PRAGMA integrity_check")
    #expect(check == ["ok"])
    try connection.close()
    #expect(!connection.isOpen)
  }

  struct NoSuchSituation: Error {}
}
