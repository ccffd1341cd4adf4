import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.collations)) struct `collations with Foundation's comparisons` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('b10'), ('B9'), ('a'), ('é'), ('f')")
  }

  private func sorted(_ collation: String) throws -> [String] {
    try connection.query(.column(.string), sql: "SELECT a FROM t ORDER BY a COLLATE \(collation)")
  }

  @Test func `a collation can order text with a string comparison of Foundation`() throws {
    try connection.addCollation("localized") { $0.localizedCompare($1) }
    try connection.addCollation("numeric_order") {
      $0.compare($1, options: [.numeric, .caseInsensitive, .diacriticInsensitive])
    }
    #expect(try sorted("numeric_order") == ["a", "B9", "b10", "é", "f"])
    let words = try sorted("localized")
    #expect(words == words.sorted { $0.localizedCompare($1) == .orderedAscending })
  }

  @Test func `each ComparisonResult maps to the matching SQL order`() throws {
    try connection.addCollation("ascending") { _, _ in ComparisonResult.orderedAscending }
    try connection.addCollation("same") { _, _ in ComparisonResult.orderedSame }
    try connection.addCollation("descending") { _, _ in ComparisonResult.orderedDescending }
    let cases: [(String, [DatabaseValue])] = [
      ("ascending", [1, 0, 0]), ("same", [0, 1, 0]), ("descending", [0, 0, 1]),
    ]
    for (name, expected) in cases {
      let row = try connection.first(
        .values,
        sql:
          "SELECT 'x' < 'y' COLLATE \(name), 'x' = 'y' COLLATE \(name), 'x' > 'y' COLLATE \(name)")
      #expect(row?.map(\.value) == expected)
    }
  }

  @Test func `a collation with a Foundation comparison sorts invalid UTF-8, NULs and empty text`()
    throws
  {
    try connection.addCollation("localized") { $0.localizedCompare($1) }
    try connection.execute(
      sql: "INSERT INTO t VALUES (cast(x'ff' AS TEXT)), ('a' || char(0) || 'b'), ('')")
    var count = 0
    try connection.execute(sql: "SELECT a FROM t ORDER BY a COLLATE localized") { _ in count += 1 }
    #expect(count == 8)
  }
}
