import Sluice
import SluiceCommand
import TestSupport
import Testing

/// A schema that every SQLite library supports, and the part that `Configuration.untrusted` rejects.
struct OrdinarySchema: CustomTestStringConvertible, Sendable {
  let name: String
  let schema: String
  var write = "INSERT INTO doc(id, body) VALUES (2, '{\"n\": 2}')"
  var read = "SELECT count(*) FROM doc"
  /// The result of `read` once both rows exist.
  var value: DatabaseValue = 2
  /// The object that the error calls unsafe, if SQLite 3.40 rejects the schema when it is untrusted.
  var refused: String?
  /// Whether the file cannot be opened when the schema is rejected.
  var isWhole = false
  var needs: SQLiteCapability?

  /// Writes the second row, and returns the result for both rows.
  func use(_ connection: Connection) throws -> DatabaseValue? {
    try connection.execute(sql: write)
    return try result(connection)
  }

  func result(_ connection: Connection) throws -> DatabaseValue? {
    try connection.first(.column(.value), sql: read)
  }

  var testDescription: String { name }
  var isPossible: Bool { needs.map(SQLiteLibrary.has) ?? true }

  static let table = "CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT);"
  static let all: [OrdinarySchema] = [
    OrdinarySchema(
      name: "a virtual column by json_extract",
      schema: """
        CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT, n AS (json_extract(body, '$.n')));
        """, read: "SELECT sum(n) FROM doc", value: 3, refused: "json_extract() by \"doc\"",
      isWhole: true),
    OrdinarySchema(
      name: "a stored column by ->>",
      schema: """
        CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT, n INTEGER AS (body ->> 'n') STORED);
        """, read: "SELECT sum(n) FROM doc", value: 3, refused: "->>() by \"doc\"", isWhole: true),
    OrdinarySchema(
      name: "a CHECK by json_valid",
      schema: "CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT CHECK (json_valid(body)));",
      refused: "json_valid() by \"doc\"", isWhole: true),
    OrdinarySchema(
      name: "a CHECK by json_type",
      schema: """
        CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT CHECK (json_type(body) = 'object'));
        """, refused: "json_type() by \"doc\"", isWhole: true),
    OrdinarySchema(
      name: "an index on json_extract",
      schema: table + "CREATE INDEX by_n ON doc(json_extract(body, '$.n'));",
      read: "SELECT id FROM doc WHERE json_extract(body, '$.n') = 2",
      refused: "json_extract() by \"by_n\"", isWhole: true),
    OrdinarySchema(
      name: "an index on ->>", schema: table + "CREATE INDEX by_n ON doc(body ->> 'n');",
      read: "SELECT id FROM doc WHERE body ->> 'n' = 2", refused: "->>() by \"by_n\"",
      isWhole: true),
    OrdinarySchema(
      name: "a partial index by json_valid",
      schema: table + "CREATE INDEX sound ON doc(id) WHERE json_valid(body);",
      refused: "json_valid() by \"sound\"", isWhole: true),
    OrdinarySchema(
      name: "a view with json_extract",
      schema: table + "CREATE VIEW v AS SELECT json_extract(body, '$.n') AS n FROM doc;",
      read: "SELECT sum(n) FROM v", value: 3, refused: "json_extract()"),
    OrdinarySchema(
      name: "a view with json_group_array",
      schema: table + "CREATE VIEW v AS SELECT json_group_array(id) AS ids FROM doc;",
      read: "SELECT ids FROM v", value: "[1,2]", refused: "json_group_array()"),
    OrdinarySchema(
      name: "a view with json_each",
      schema: table + "CREATE VIEW v AS SELECT value FROM doc, json_each(doc.body);",
      read: "SELECT sum(value) FROM v", value: 3),
    OrdinarySchema(
      name: "a trigger with json_set",
      schema: table + """
        CREATE TRIGGER r AFTER INSERT ON doc BEGIN
          UPDATE doc SET body = json_set(body, '$.n', 7) WHERE id = new.id;
        END;
        """, read: "SELECT sum(body ->> 'n') FROM doc", value: 14, refused: "json_set()"),
    OrdinarySchema(
      name: "a default by json_array",
      schema: """
        CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT, tags TEXT DEFAULT (json_array()));
        """, read: "SELECT group_concat(tags) FROM doc", value: "[],[]", refused: "json_array()"),
    OrdinarySchema(
      name: "triggers of an FTS5 table",
      schema: table + """
        CREATE VIRTUAL TABLE search USING fts5(body, content = 'doc', content_rowid = 'id');
        CREATE TRIGGER r AFTER INSERT ON doc BEGIN
          INSERT INTO search(rowid, body) VALUES (new.id, new.body);
        END;
        """, read: "SELECT count(*) FROM search('n')",
      refused: "virtual table \"search\"", needs: .fts5),
    OrdinarySchema(
      name: "triggers of an FTS4 table",
      schema: table + """
        CREATE VIRTUAL TABLE search USING fts4(body, content="doc");
        CREATE TRIGGER r AFTER INSERT ON doc BEGIN
          INSERT INTO search(docid, body) VALUES (new.id, new.body);
        END;
        """, read: "SELECT count(*) FROM search WHERE search MATCH 'n'",
      refused: "virtual table \"search\"", needs: .fts4),
    OrdinarySchema(
      name: "triggers of an R*Tree",
      schema: table + """
        CREATE VIRTUAL TABLE place USING rtree(id, low, high);
        CREATE TRIGGER r AFTER INSERT ON doc BEGIN
          INSERT INTO place VALUES (new.id, new.id, new.id);
        END;
        """, read: "SELECT count(*) FROM place WHERE low > 0",
      refused: "virtual table \"place\"", needs: .rtree),
    OrdinarySchema(
      name: "a view of an FTS5 table",
      schema: table + """
        CREATE VIRTUAL TABLE search USING fts5(body);
        CREATE VIEW v AS SELECT highlight(search, 0, '<', '>') AS text FROM search('fox');
        INSERT INTO search VALUES ('a fox');
        """, read: "SELECT text FROM v", value: "a <fox>",
      refused: "virtual table \"search\"", needs: .fts5),
    OrdinarySchema(
      name: "a view of pragma_table_info",
      schema: table + "CREATE VIEW v AS SELECT name FROM pragma_table_info('doc');",
      read: "SELECT count(*) FROM v", refused: "virtual table \"pragma_table_info\""),
    OrdinarySchema(
      name: "functions that SQLite counts as innocuous",
      schema: table + """
        CREATE INDEX i ON doc(hex(body));
        CREATE VIEW v AS SELECT datetime(0), random(), upper(body) LIKE '%N%' AS n FROM doc;
        """, read: "SELECT sum(n) FROM v"),
  ]
}

@Suite("U6: schemas that work with every library") struct OrdinarySchemaTests {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder() }

  private var path: String { project.full("@/ordinary.db") }
  private let first = "INSERT INTO doc(id, body) VALUES (1, '{\"n\": 1}');"

  /// Creates the file as another program does, with the default settings of SQLite instead of Sluice's.
  private func makeElsewhere(_ ordinary: OrdinarySchema) throws {
    let connection = try Connection(path: path, configuration: .sqliteDefaults)
    try connection.setOption(.trustedSchema, true)
    try connection.execute(sql: ordinary.schema + first)
    try connection.close()
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `a connection creates and uses an ordinary schema`(ordinary: OrdinarySchema) throws {
    let connection = try Connection(path: path)
    try connection.execute(sql: ordinary.schema + first)
    #expect(try ordinary.use(connection) == ordinary.value)
    #expect(try connection.integrityProblems().isEmpty)
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `a connection uses an ordinary schema that another program created`(ordinary: OrdinarySchema)
    throws
  {
    try makeElsewhere(ordinary)
    let connection = try Connection(path: path)
    #expect(try ordinary.use(connection) == ordinary.value)
    #expect(try connection.integrityProblems().isEmpty)
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `a queue and a read queue use an ordinary schema`(ordinary: OrdinarySchema) throws {
    try makeElsewhere(ordinary)
    let queue = try ConnectionQueue(path: path)
    let value = try queue.sync { connection in try ordinary.use(connection) }
    #expect(value == ordinary.value)
    let reader = try ConnectionReadQueue(writeQueue: queue)
    let read = try reader.sync { connection in try ordinary.result(connection) }
    #expect(read == ordinary.value)
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `a pool uses an ordinary schema`(ordinary: OrdinarySchema) throws {
    try makeElsewhere(ordinary)
    let pool = try ConnectionPool(path: path)
    let value = try pool.syncWrite { connection in try ordinary.use(connection) }
    #expect(value == ordinary.value)
    let read = try pool.syncRead { connection in try ordinary.result(connection) }
    #expect(read == ordinary.value)
    try pool.syncClose()
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `a migrator creates an ordinary schema and finds no drift`(ordinary: OrdinarySchema) throws {
    let migrator = try Migrator([
      Migration(1, "schema", sql: ordinary.schema + first),
      Migration(2, "row", sql: ordinary.write),
    ])
    let connection = try Connection(path: path)
    #expect(try migrator.dryRun(on: connection).steps.count == 2)
    #expect(try migrator.migrate(connection).applied.count == 2)
    #expect(try ordinary.result(connection) == ordinary.value)
    #expect(try migrator.drift(on: connection).isEmpty)
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `doctor, schema and explain read an ordinary schema`(ordinary: OrdinarySchema) throws {
    try makeElsewhere(ordinary)
    for arguments in [["doctor", path], ["schema", path], ["explain", path, ordinary.read]] {
      let run = project.run(arguments)
      #expect(run.code == .success, "\(run)")
      #expect(run.messages.isEmpty)
    }
  }

  @Test(arguments: OrdinarySchema.all.filter(\.isPossible))
  func `an untrusted connection rejects a schema only with errors that name the cause`(
    ordinary: OrdinarySchema
  ) throws {
    try makeElsewhere(ordinary)
    var configuration = Configuration.untrusted(allowing: [.fts4, .fts5, .rtree])
    configuration.readOnly = false
    var errors: [SQLiteError] = []
    var isWritten = false
    var isOpen = false
    do {
      let connection = try Connection(path: path, configuration: configuration)
      isOpen = true
      for sql in [ordinary.write, ordinary.read, "PRAGMA integrity_check"] {
        do {
          _ = try connection.query(.values, sql: sql)
          if sql == ordinary.write { isWritten = true }
        } catch let error as SQLiteError { errors.append(error) }
      }
    } catch let error as SQLiteError { errors.append(error) }
    #expect(errors.allSatisfy { $0.code == .authorization }, "\(errors)")
    if SQLiteVersion.refusesVirtualTablesOfTriggers, let refused = ordinary.refused {
      let message = try #require(errors.first?.message)
      #expect(message.hasPrefix("unsafe use of \(refused): "), "\(message)")
      #expect(message.contains("Configuration.trustedSchema"))
      #expect(isOpen == !ordinary.isWhole)
    } else if ordinary.refused == nil {
      #expect(errors.isEmpty)
    }
    // Even with `trustedSchema`, which the message suggests, the file cannot call the program's functions.
    configuration.trustedSchema = true
    let trusting = try Connection(path: path, configuration: configuration)
    if !isWritten { try trusting.execute(sql: ordinary.write) }
    #expect(try ordinary.result(trusting) == ordinary.value)
  }
}
