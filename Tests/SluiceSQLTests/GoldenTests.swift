import Foundation
import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `generated code` {
  private static let root = tests.deletingLastPathComponent()

  /// Creates a folder with the files that the README shows.
  private func example() throws -> TestFolder {
    let folder = try TestFolder()
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    for block in readme.components(separatedBy: "```sql\n-- Sources/app/").dropFirst() {
      let text = block.components(separatedBy: "```")[0]
      let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let file = folder.url.appending(path: String(lines[0]))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(String(lines[1].drop { $0 == "\n" }).utf8).write(to: file)
    }
    return folder
  }

  @Test func `the files in the README generate the code in the snippet CheckedSQL`() throws {
    let scratch = try example()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let result = try check.run()
    #expect(result.diagnostics == [])
    #expect(result.code.map(\.file) == ["Shared.generated.swift", "books.sql.swift"])
    let snippet = try String(
      contentsOf: Self.root.appending(path: "Snippets/CheckedSQL.swift"), encoding: .utf8
    ).split(separator: "\n").filter { !$0.hasPrefix("// snippet.") }.joined(separator: "\n")
    for (_, code) in result.code {
      let lines = code.split(separator: "\n").drop { !$0.hasPrefix("///") }
      #expect(snippet.contains(lines.joined(separator: "\n")))
    }
  }

  @Test func `the snippet of nested rows contains the code for the queries of the article`() throws
  {
    let article = try String(
      contentsOf: Self.root.appending(path: "Sources/Sluice/Sluice.docc/CheckedSQL.md"),
      encoding: .utf8)
    let queries = article.components(separatedBy: "```sql\n").map {
      $0.components(separatedBy: "```")[0]
    }.filter { $0.contains("@query shelf") || $0.contains("@query booksOf") }
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER REFERENCES author);
        """)
    let (checked, diagnostics) = try check(queries.joined(separator: "\n"), in: connection)
    #expect(checked.map(\.name) == ["shelf", "booksOf", "authors"] && diagnostics == [])
    let snippet = try String(
      contentsOf: Self.root.appending(path: "Snippets/NestedRows.swift"), encoding: .utf8
    ).split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("// snippet.") }.joined(separator: "\n")
    let code = QueryGenerator(checked, file: "q.sql", declarations: Declarations()).code
    for part in code.components(separatedBy: "\n\n").dropFirst(2) {
      #expect(snippet.contains(part.trimmingCharacters(in: .newlines)))
    }
  }

  @Test(arguments: ["\r\n", "\r", "\u{2028}"])
  func `a line break in a comment or SQL does not end a generated comment`(_ end: String) throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let queries = folder.appending(path: "Queries")
    try FileManager.default.createDirectory(at: queries, withIntermediateDirectories: true)
    let sql = "-- About it. \(end) func evil() {}\n-- @query one\nSELECT 1 AS a,\(end) 2 AS b;\n"
    try Data(sql.utf8).write(to: queries.appending(path: "all.sql"))
    var check = ProjectCheck(Project(folder: folder), only: nil)
    for (_, code) in try check.run().code {
      let lines = code.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      #expect(!lines.contains { $0.hasPrefix(" func evil") || $0.hasPrefix(" 2 AS b") })
    }
  }

  /// The tests of the package `GeneratedCode` call the code of these files.
  ///
  /// To update the folder `Golden`, run `sluice generate` and append `.txt` to the names of its files.
  @Test(.enabled(if: SQLiteLibrary.has(.fts5))) func `generated code equals the golden files`()
    throws
  {
    let folder = tests.appending(path: "GeneratedCode/Tests")
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let result = try check.run()
    #expect(result.diagnostics == [])
    #expect(result.queryCount > 90)
    let golden = tests.appending(path: "SluiceSQLTests/Golden")
    let files = try FileManager.default.contentsOfDirectory(atPath: golden.path)
      .map { $0.replacing(".txt", with: "") }
    #expect(files.count == 5)
    for (name, code) in result.code where files.contains(name) {
      let expected = try String(contentsOf: golden.appending(path: name + ".txt"), encoding: .utf8)
      for (line, other) in zip(code.split(separator: "\n"), expected.split(separator: "\n")) {
        #expect(line == other, "\(name)")
      }
      #expect(code == expected, "\(name)")
    }
    #expect(Set(result.code.map(\.file)).isSuperset(of: files))
  }

  @Test func `the misspelt query in the README causes the error message that the README shows`()
    throws
  {
    let scratch = try example()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let file = folder.appending(path: "Queries/books.sql")
    let text = try String(contentsOf: file, encoding: .utf8)
    try Data("\n\n\(text.replacing("id, title,", with: "id, titel,"))".utf8).write(to: file)
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let told = try check.run().diagnostics.map {
      "\($0)".replacing(folder.path, with: "Sources/app")
    }
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(told.count == 1)
    for line in told { #expect(readme.contains("```\n…/\(line)\nSELECT id, titel, rating ")) }
  }
}
