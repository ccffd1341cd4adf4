import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `schema diagrams` {
  let connection: Connection

  init() throws { connection = try Connection() }

  @Test func `a diagram contains the columns with their keys`() throws {
    try connection.execute(sql: DiagramSchemas.shop)
    let diagram = try connection.schemaDiagram()
    #expect(
      diagram.tables.map(\.name) == [
        "address", "country", "customer", "line", "order", "payment", "shipment", "provider",
      ])
    let customer = try #require(diagram.tables.first { $0.name == "customer" })
    #expect(
      customer.columns == [
        .init(name: "id", type: "INTEGER", isNotNull: true, isPrimaryKey: true),
        .init(name: "email", type: "TEXT", isNotNull: true, isUnique: true),
        .init(name: "referred_by", type: "INTEGER", isNotNull: false, isForeignKey: true),
        .init(name: "default_address", type: "INTEGER", isNotNull: false, isForeignKey: true),
      ])
    let provider = try #require(diagram.tables.last)
    #expect(provider == .init(name: "provider", kind: .missing, columns: [.init(name: "name")]))
  }

  @Test func `references name existing columns, whatever their SQL omits`() throws {
    try connection.execute(sql: DiagramSchemas.shop)
    let references = try connection.schemaDiagram().references
    func reference(_ table: String, _ column: String) throws -> SchemaDiagram.Reference {
      try #require(references.first { $0.table == table && $0.columns.contains(column) })
    }
    #expect(
      try reference("shipment", "number")
        == .init(
          table: "shipment", columns: ["order_id", "number"], referencedTable: "line",
          referencedColumns: ["order_id", "number"], isUnique: false, isOptional: false))
    #expect(try reference("address", "customer_id").referencedTable == "customer")
    #expect(try reference("customer", "default_address").referencedColumns == ["id"])
    #expect(try reference("customer", "referred_by").isOptional)
    #expect(try reference("payment", "order_id").isUnique)
    #expect(try reference("payment", "provider").referencedColumns == ["name"])
  }

  @Test func `a diagram of some tables omits references to the others`() throws {
    try connection.execute(sql: DiagramSchemas.shop)
    let diagram = try connection.schemaDiagram(of: ["ORDER", "customer", "late"])
    #expect(diagram.tables.map(\.name) == ["customer", "late", "order"])
    #expect(diagram.tables.map(\.kind) == [.table, .view, .table])
    #expect(diagram.references.map(\.referencedTable) == ["customer", "customer"])
    let error = #expect(throws: SQLiteError.self) { try connection.schemaDiagram(of: ["gone"]) }
    #expect(error?.message == "There is no table or view \"gone\" in main")
  }

  @Test func `views are shown on request, and broken ones have no columns`() throws {
    try connection.execute(sql: DiagramSchemas.shop)
    try connection.execute(sql: "CREATE VIEW broken AS SELECT * FROM late, gone")
    #expect(try !connection.schemaDiagram().tables.contains { $0.kind == .view })
    let views = try connection.schemaDiagram(includesViews: true).tables.filter { $0.kind == .view }
    #expect(views.map(\.name) == ["broken", "late"])
    #expect(views.map(\.columns.count) == [0, 2])
    #expect(views[1].columns[0].isNotNull == nil)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `shadow tables and hidden columns are omitted`() throws {
    try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(title, body)")
    let diagram = try connection.schemaDiagram()
    #expect(diagram.tables.map(\.name) == ["note"])
    #expect(diagram.tables[0].kind == .virtual)
    #expect(diagram.tables[0].columns.map(\.name) == ["title", "body"])
  }

  @Test func `an empty database has an empty diagram`() throws {
    let diagram = try connection.schemaDiagram()
    #expect(diagram.tables.isEmpty)
    #expect(diagram.mermaid == "erDiagram\n")
    #expect(diagram.svg.contains("<title>Schema with 0 tables</title>"))
  }

  @Test func `the order in which tables are created does not matter`() throws {
    let statements = DiagramSchemas.shop.split(separator: ";\n").map { "\($0);" }
    try connection.execute(sql: statements.joined())
    let other = try Connection()
    try other.execute(sql: statements.reversed().joined())
    let (first, second) = try (connection.schemaDiagram(), other.schemaDiagram())
    #expect(first == second)
    #expect(first.svg == second.svg)
    #expect(first.dot == second.dot)
    #expect(first.mermaid == second.mermaid)
  }

  @Test func `an attached database has a diagram of its own`() throws {
    try connection.attach(path: ":memory:", as: "other")
    try connection.execute(sql: "CREATE TABLE other.t(a); CREATE TABLE main.u(a)")
    #expect(try connection.schemaDiagram(database: "other").tables.map(\.name) == ["t"])
    let error = #expect(throws: SQLiteError.self) { try connection.schemaDiagram(database: "x") }
    #expect(error?.code == .range)
  }

  @Test func `a closed connection has no diagram`() throws {
    try connection.close()
    let error = #expect(throws: SQLiteError.self) { try connection.schemaDiagram() }
    #expect(error?.code == .misuse)
  }
}
