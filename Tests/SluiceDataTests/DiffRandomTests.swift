import Foundation
import SluiceCore
import SluiceData
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.storage), .enabled(if: SQLiteLibrary.has(.serialization)))
struct `differences between random databases` {
  @Test(arguments: 0..<rounds(15, long: 1_000))
  func `the SQL turns a database into its changed copy`(seed: Int) throws {
    let source = try Connection(configuration: .exact)
    try DumpRandomDatabase.fill(source, seed: seed)
    let copy = try Connection(configuration: .exact)
    try copy.deserialize(source.serialize())
    var changer = RandomChanger(copy, seed: UInt64(seed))
    try changer.change()
    try check(source, copy)
  }

  @Test(arguments: 0..<rounds(8, long: 500))
  func `the SQL turns a database into an unrelated one`(seed: Int) throws {
    let source = try Connection(configuration: .exact)
    try DumpRandomDatabase.fill(source, seed: 50_000 + seed)
    let encoding = try source.pragma(.encoding)
    // Only databases with the same encoding can be compared.
    for next in 0..<60 {
      let other = try Connection(configuration: .exact)
      try DumpRandomDatabase.fill(other, seed: 60_000 + 60 * seed + next)
      if try other.pragma(.encoding) == encoding { return try check(source, other) }
    }
    Issue.record("No database has the encoding \(encoding)")
  }

  private func check(_ first: Connection, _ second: Connection) throws {
    let connection = try Connection(configuration: .exact)
    let (old, new) = try (first.serialize(), second.serialize())
    // A file without tables has no encoding.
    let areEmpty = try first.schemaObjects().isEmpty || second.schemaObjects().isEmpty
    guard try !areEmpty || first.pragma(.encoding) == .utf8 else { return }
    if !old.isEmpty { try connection.deserialize(old) }
    try connection.attach(path: ":memory:", as: "other")
    if !new.isEmpty { try connection.deserialize(new, database: "other") }
    let problems = Set(try first.integrityProblems() + second.integrityProblems())
    let diff = try DatabaseDiff(connection, to: "other")
    let skipped = Set(diff.uncomparedTables.map { $0.name.lowercased() })
    func content(_ database: String) throws -> DiffContent {
      try DiffContent(of: connection, database, without: skipped)
    }
    let (before, expected) = try (content("main"), content("other"))
    #expect(try diff.isEmpty == (before == expected))
    var sql: [UInt8] = []
    #expect(try diff.writeSQL { sql += $0 } != (before == expected))
    let counts = try diff.summary().reduce(0) {
      $0 + $1.insertedCount + $1.updatedCount + $1.deletedCount
    }
    var changeCount = 0
    if try connection.pragma(.encoding) != .utf8 || problems.isEmpty {
      // A value cannot contain text that is not UTF-8.
      do { try diff.forEachRowChange { _ in changeCount += 1 } } catch SQLiteError.mismatch {
        changeCount = counts
      }
      #expect(changeCount == counts)
    }
    #expect(try content("main") == before)
    try connection.execute(sql: String(decoding: sql, as: UTF8.self))
    let result = try content("main")
    #expect(result.schema == expected.schema)
    #expect(result.settings == expected.settings)
    for (table, rows) in expected.rows {
      #expect(result.rows[table] == rows, "\(table): \(String(decoding: sql, as: UTF8.self))")
    }
    #expect(result.rows.keys.sorted() == expected.rows.keys.sorted())
    let rest = try DatabaseDiff(connection, to: "other")
    let (isEmpty, summary) = try (rest.isEmpty, rest.summary())
    #expect(isEmpty, "\(rest.schemaChanges) \(summary)")
    #expect(problems.isSuperset(of: try connection.integrityProblems()))
  }
}

/// Random changes of the rows and the schema of a database.
private struct RandomChanger {
  private let connection: Connection
  private var random: SeededGenerator

  init(_ connection: Connection, seed: UInt64) {
    self.connection = connection
    random = SeededGenerator(seed: seed ^ 0x5a5a)
  }

  mutating func change() throws {
    let objects = try connection.schemaObjects()
    for table in try connection.tables() where table.kind == .table || table.kind == .virtual {
      // Changing an index without its content would damage it.
      if objects.contains(where: { $0.name == table.name && $0.sql.contains(", content = ") }) {
        continue
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) { try changeRows(of: table) }
    }
    let shadows = Set(try connection.tables().filter { $0.kind == .shadow }.map(\.name))
    for object in try connection.schemaObjects()
    where !shadows.contains(object.table) && chance(5) {
      try changeSchema(object)
    }
    if chance(5) { try run("PRAGMA user_version = \(random.next() % 1000)") }
  }

  private mutating func changeRows(of table: TableInfo) throws {
    let columns = try connection.columns(of: table.name).filter { $0.kind == .ordinary }
    guard let column = columns.randomElement(using: &random)?.name.quotedName,
      let other = columns.randomElement(using: &random)?.name.quotedName
    else { return }
    let name = table.name.quotedName
    let number = Int.random(in: 1...7, using: &random)
    let rows =
      "WHERE (length(CAST(\(column) AS BLOB)) + ifnull(unicode(\(other)), 0)) % 7 <= \(number) - 3"
    let values = [
      "CAST(\(column) AS TEXT)", "CAST(\(column) AS BLOB)", "\(column) || 'x'", "upper(\(column))",
      "\(column) + 0.0", "-0.0", "NULL", other, "-\(column)", "CAST(x'80' AS TEXT)", "1", "1.0",
      "'1'",
    ]
    let value = values.randomElement(using: &random) ?? "1"
    let statements = [
      "UPDATE OR IGNORE \(name) SET \(column) = \(value) \(rows)", "DELETE FROM \(name) \(rows)",
      "INSERT OR IGNORE INTO \(name)(\(column), \(other)) SELECT \(value), \(other) FROM \(name) LIMIT \(number)",
      "UPDATE OR REPLACE \(name) SET \(column) = \(other)",
    ]
    try run(statements.randomElement(using: &random) ?? "")
  }

  private mutating func changeSchema(_ object: SchemaObject) throws {
    let name = object.name.quotedName
    guard object.kind == .table else { return try run("DROP \(object.kind.rawValue) \(name)") }
    let column = try connection.columns(of: object.name).first?.name.quotedName ?? "x"
    let statements = [
      "DROP TABLE \(name)", "ALTER TABLE \(name) ADD COLUMN more DEFAULT 'new'",
      "CREATE INDEX new_index ON \(name)(\(column) DESC)",
      "ALTER TABLE \(name) RENAME TO other_name",
      "CREATE VIEW new_view AS SELECT * FROM \(name)",
      "CREATE TRIGGER new_trigger BEFORE UPDATE ON \(name) BEGIN SELECT raise(IGNORE); END",
    ]
    try run(statements.randomElement(using: &random) ?? "")
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  /// Executes SQL; a change that SQLite refuses is no change.
  private func run(_ sql: String) throws {
    do { try connection.execute(sql: sql) } catch let error as SQLiteError
      where [.error, .constraint, .mismatch, .readOnly, .full, .locked].contains(error.code.primary)
    {}
  }
}
