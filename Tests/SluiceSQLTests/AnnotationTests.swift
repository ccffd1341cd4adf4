import Foundation
import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `annotations in query files` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b TEXT NOT NULL, f FLOAT NOT NULL)")
  }

  /// Returns the code that is generated for a query file.
  private func code(_ text: String) throws -> String {
    let schema = try CheckedSchema(connection, Declarations())
    var checker = QueryChecker(schema)
    let (queries, diagnostics) = checker.check(QueryFile(SourceText(path: "q.sql", text: text)))
    #expect(diagnostics.isEmpty)
    return QueryGenerator(queries, file: "q.sql", declarations: Declarations()).code
  }

  @Test func `a comment above a blank line does not document the query`() throws {
    let code = try code(
      "-- The head of the file.\n\n-- Finds it.\n-- @query one\nSELECT id FROM t;")
    #expect(code.contains("/// Finds it.\n"))
    #expect(!code.contains("The head"))
  }

  @Test func `an @allow annotation suppresses a warning that Declarations.sql turns on`() throws {
    let warned = try check("-- @query one\nSELECT a FROM t;", in: connection, "-- @warn scans")
    #expect(warned.diagnostics.count == 1)
    let allowed = try check(
      "-- @query one\n-- @allow scans\nSELECT a FROM t;", in: connection, "-- @warn scans")
    #expect(allowed.diagnostics.isEmpty)
  }

  @Test(arguments: [(true, true, 0), (true, false, 1), (false, true, 1), (false, false, 1)])
  func `two files can share a row type only if both declare the type as shared`(
    first: Bool, second: Bool, count: Int
  ) throws {
    let files = [("a", first), ("b", second)].map { name, isShared in
      QueryFile(
        SourceText(
          path: "\(name).sql",
          text: "-- @query \(name)\n-- @row Pair\(isShared ? ": shared" : "")\nSELECT a, b FROM t;")
      )
    }
    let found = Project.twins(in: files)
    #expect(found.count == count)
    #expect(found.allSatisfy { $0.path == "b.sql" && $0.line == 2 && $0.column == 9 })
  }

  @Test(arguments: [
    ("SELECT DISTINCT 1 + 1, b FROM t", "2:17"), ("SELECT ALL 1 + 1, b FROM t", "2:12"),
    ("INSERT INTO t(b, f) SELECT b, f FROM t RETURNING 1 + 1, b", "2:50"),
  ])
  func `a column whose expression cannot be a property name is reported at the column's position`(
    sql: String, place: String
  ) throws {
    let found = try check("-- @query one\n\(sql);", in: connection).diagnostics
    #expect(
      found.first?.hasPrefix(
        "q.sql:\(place): error: column 1, 1 + 1, cannot be the name of a property") == true)
  }

  @Test func `the generated parameter is optional if the query tests it for NULL`() throws {
    for test in ["ifnull(:a, a)", "coalesce(:a, a)", "CASE WHEN :a IS NULL THEN a ELSE :a END"] {
      #expect(
        try parameters("SELECT id FROM t WHERE b = :a AND b = \(test)", in: connection)
          == ["a: String?"])
    }
    #expect(try parameters("SELECT id FROM t WHERE b = :a", in: connection) == ["a: String"])
  }

  @Test(arguments: ["stream", "live"])
  func `annotating a writing statement as streamed or live is an error`(form: String) throws {
    #expect(
      try check("-- @query one: \(form)\nDELETE FROM t RETURNING id;", in: connection).diagnostics
        == ["q.sql:1:16: error: a statement that writes cannot be \(form)"])
  }

  @Test(arguments: [
    "INSERT INTO t(b, f) VALUES ('b', 1)", "REPLACE INTO t(b, f) VALUES ('b', 1)",
    "UPDATE t SET a = NULL", "DELETE FROM t",
  ])
  func `the generated function of a writing statement has a discardable Int result`(sql: String)
    throws
  {
    let code = try code("-- @query one\n\(sql);")
    #expect(code.contains("@discardableResult\n  func one() throws -> Int {\n"))
  }

  @Test func `a FLOAT column generates a property of the type Double`() throws {
    #expect(try columns("SELECT f FROM t", in: connection) == ["f: Double"])
  }

  @Test func `a UNION of columns with different types has an unknown type`() throws {
    let found = try columns("SELECT id AS x FROM t UNION SELECT b FROM t", in: connection)
    #expect(found.last?.contains("the type of x is unknown") == true)
  }

  @Test func `the result of a function without a declared type is treated as nullable`() throws {
    try connection.addFunction("f", arity: 1) { _ in .null }
    let (queries, diagnostics) = try check(
      "-- @query one\nSELECT length(f(a)) AS n FROM t;", in: connection, "-- @function f(1)")
    #expect(diagnostics.isEmpty)
    #expect(queries.first?.columns.first?.type.swift == "Int?")
  }

  @Test func `a mistake in a query with a shared row type is reported once`() throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    for name in ["Migrations", "Queries"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    try Data("CREATE TABLE t(a INT, b INT);".utf8).write(
      to: folder.appending(path: "Migrations/1_a.sql"))
    try Data("-- @query one\n-- @row Pair: shared\nSELECT a, c FROM t;".utf8).write(
      to: folder.appending(path: "Queries/q.sql"))
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let found = try check.run().diagnostics
    #expect(found.map(\.message) == ["no such column: c; did you mean a?"])
  }
}
