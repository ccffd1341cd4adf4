import Sluice
import SluiceCluster
import Testing

/// Two databases in memory: one in place of a node, and one in place of the client's local database.
final class StandIn {
  let node: Connection
  let local: Connection
  private var modules: Set<String> = []

  static let schema = #"""
    CREATE TABLE person(
      id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, born DATETIME, isTall BOOLEAN,
      "odd""name" INT, age INT DEFAULT 1, twice AS (age * 2));
    CREATE TABLE event(id INTEGER PRIMARY KEY, person INT, day DATE, at TIMESTAMP, note);
    CREATE TABLE "select"("from" TEXT, [order by] BOOLEAN, `x``y` INT);
    CREATE TABLE pair(a, b BOOLEAN, PRIMARY KEY(a, b)) WITHOUT ROWID;
    CREATE VIEW tall AS SELECT id, name, born FROM person WHERE isTall;
    CREATE TRIGGER tall_insert INSTEAD OF INSERT ON tall
      BEGIN INSERT INTO person(name, isTall) VALUES (new.name, 1); END;
    CREATE INDEX event_person ON event(person, day);
    INSERT INTO person(name, born, isTall, "odd""name", age) VALUES
      ('Ada', 1815.5, 'yes', 3, 36), ('bob', x'00', 1.5, NULL, 7), ('Cid', NULL, NULL, 2, 7),
      ('dan', 'now', 0, 1, 99), ('Eve', 5, 1, 2, NULL);
    INSERT INTO event(person, day, at, note) VALUES
      (1, 1.5, 'x', 'a'), (1, NULL, 2.5, 'b'), (2, '2020-01-01', 3, NULL), (3, x'ff', NULL, 4);
    INSERT INTO "select" VALUES ('a', 1, 2), ('b', 0.5, 3), ('c', 'no', 1);
    INSERT INTO pair VALUES (1, 1), (1, 'x'), (2, 0.5);
    """#

  init() throws {
    node = try Connection()
    try node.execute(sql: Self.schema)
    local = try Connection()
    try local.addFunction("sluice_json") { (value: DatabaseValue) in value }
    try ParameterPack.addFunction(to: local)
  }

  /// Returns the only statement of the SQL.
  func statement(_ sql: String) throws -> ClusterStatement {
    try #require(try ClusterStatement.next(in: sql, from: 0).0)
  }

  /// The names of the columns, as the node returns them.
  func names(of statement: ClusterStatement) throws -> [String] {
    guard let sql = statement.names else { return [] }
    let names = try node.prepare(sql: sql)
    // A node must also run the statement without values.
    _ = try rows(of: names)
    return names.columnNames
  }

  /// Runs a statement with the numbers of its parameters as values, or with NULL for each.
  func rows(of statement: Statement, numbers: Bool = false) throws -> [RowValues] {
    for index in 0..<statement.parameterCount {
      try statement.bind(
        numbers ? .integer(Int64(index + 1)) : DatabaseValue.null, toParameter: index + 1)
    }
    return try statement.rows()
  }

  /// Compiles the local statement.
  func localStatement(_ statement: ClusterStatement, _ names: [String]) throws -> Statement {
    let size = RemoteTables.Size.fitting(
      columns: names.count, parameters: statement.parameters.count)
    switch statement.kind {
    case .local: break
    case .write:
      let columns = ["text", "size"] + (1...size.parameters).map { "p\($0)" }
      try local.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS \(RemoteTables.writes(size))(\(columns.joined(separator: ", ")))
          """)
    case .read, .returning:
      let module = RemoteTables.rows(size)
      guard modules.insert(module).inserted else { break }
      try local.addModule(module, as: .eponymousOnly) { _ in Rows(size.columns, size.argumentCount)
      }
    }
    return try local.prepare(sql: statement.localSQL(names: names))
  }
}

extension StandIn {
  /// Checks that a statement, as it is sent and as the local database compiles it, corresponds to the original.
  func check(
    _ sql: String, _ kind: ClusterStatement.Kind, at location: SourceLocation = #_sourceLocation
  ) throws {
    let statement = try statement(sql)
    #expect(statement.kind == kind, sourceLocation: location)
    let names = try names(of: statement)
    let local = try localStatement(statement, names)
    let original = try node.prepare(sql: sql)
    let typed = try node.prepare(sql: statement.typed(names: names))
    let sent = try node.prepare(sql: statement.text)
    #expect(local.parameterNames == original.parameterNames, sourceLocation: location)
    #expect(typed.parameterNames == original.parameterNames, sourceLocation: location)
    #expect(sent.parameterNames == original.parameterNames, sourceLocation: location)
    guard kind != .write else {
      #expect(original.columnNames.isEmpty, sourceLocation: location)
      return
    }
    #expect(local.columnNames == original.columnNames, sourceLocation: location)
    #expect(sent.columnNames == names, sourceLocation: location)
    #expect(typed.columnNames == names, sourceLocation: location)
    #expect(try typed.declaredTypes.allSatisfy { $0 == nil }, sourceLocation: location)
    guard try original.explainMode == .none, !statement.isPragma else { return }
    if kind == .read { #expect(try original.isReadOnly, sourceLocation: location) }
    let expected = undoing { try self.rows(of: original, numbers: true) }
    let rows = undoing { try self.rows(of: typed, numbers: true) }
    #expect(rows == expected, sourceLocation: location)
  }

  /// Returns the rows that `body` returns, or nil if it throws, and undoes its changes.
  private func undoing(_ body: () throws -> [RowValues]) -> [RowValues]? {
    var rows: [RowValues]?
    _ = try? node.transaction { _ in
      rows = try body()
      throw CancellationError()
    }
    return rows
  }
}

extension ClusterStatement {
  /// The statements of a script.
  static func all(in script: String) throws -> [ClusterStatement] {
    var statements: [ClusterStatement] = []
    var position = 0
    while case (let statement?, let end) = try next(in: script, from: position) {
      statements.append(statement)
      position = end
    }
    return statements
  }

  fileprivate var isPragma: Bool { text.lowercased().hasPrefix("pragma") }
}

/// A table whose hidden columns receive a statement and its values; it has no rows.
private final class Rows: VirtualTable {
  let schema: VirtualTableSchema

  init(_ columns: Int, _ parameters: Int) {
    schema = VirtualTableSchema(
      (0..<columns).map { .column("c\($0)") } + [.hidden("text"), .hidden("size")]
        + (0..<parameters).map { .hidden("p\($0 + 1)") })
  }

  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    func filter(_ filter: borrowing VirtualTableFilter) {}
    func next() {}
    var isAtEnd: Bool { true }
    func column(_ index: Int) -> DatabaseValue { .null }
    var rowid: Int64 { 0 }
  }
}
