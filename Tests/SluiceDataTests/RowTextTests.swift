import Foundation
import SluiceData
import TestSupport
import Testing

/// The text of rows, for logs and debuggers.
@Suite struct RowTextTests {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, note);
      INSERT INTO person VALUES (1, 'Ada', NULL), (20, 'O''Hara', x'00ff'), (3, '日本', 2.5),
        (4, 'a' || char(10) || 'b' || char(27), 'x')
      """)
  }

  @Test func `a box has lines around its cells, and numbers at the right`() throws {
    #expect(
      try db.text(of: "SELECT * FROM person ORDER BY id") == #"""
        ┌────┬────────────┬─────────┐
        │ id │ name       │ note    │
        ├────┼────────────┼─────────┤
        │  1 │ Ada        │ NULL    │
        │  3 │ 日本       │     2.5 │
        │  4 │ a\nb\u{1B} │ x       │
        │ 20 │ O'Hara     │ x'00ff' │
        └────┴────────────┴─────────┘

        """#)
    #expect(
      try db.text(of: "SELECT id, name FROM person WHERE 0") == """
        ┌────┬──────┐
        │ id │ name │
        ├────┼──────┤
        └────┴──────┘

        """)
  }

  @Test func `a list, literals and lines contain the values of all rows`() throws {
    let sql: SQL = "SELECT id, name, note FROM person WHERE id <> 3 ORDER BY id"
    #expect(
      try db.text(of: sql, as: .list) == #"""
        1|Ada|NULL
        4|a\nb\u{1B}|x
        20|O'Hara|x'00ff'

        """#)
    #expect(
      try db.text(
        of: "SELECT id, name, note FROM person WHERE id IN (1, 20) ORDER BY id", as: .quote)
          == """
          1,'Ada',NULL
          20,'O''Hara',x'00ff'

          """)
    #expect(
      try db.text(of: "SELECT id, name AS full_name FROM person WHERE id < 4", as: .line) == """
               id = 1
        full_name = Ada

               id = 3
        full_name = 日本

        """)
    for form in RowText.allCases where form != .box {
      #expect(try db.text(of: "SELECT 1 WHERE 0", as: form) == "")
    }
  }

  @Test func `values are bound, and literals evaluate to the rows`() throws {
    let name = "O'Hara"
    #expect(
      try db.text(of: "SELECT id FROM person WHERE name = \(name)", as: .list) == "20\n")
    let literals = try db.text(of: "SELECT * FROM person WHERE id = 20", as: .quote)
    let row = try db.first(.values, sql: "SELECT \(literals)")
    #expect(row?.values == [20, "O'Hara", .blob([0, 255])])
  }

  @Test func `characters that take two columns on a terminal keep the box aligned`() throws {
    let text = try db.text(
      of: "SELECT 'é' AS a UNION ALL SELECT '👩‍👩‍👧' UNION ALL SELECT 'ab' ORDER BY 1")
    #expect(
      text == """
        ┌────┐
        │ a  │
        ├────┤
        │ ab │
        │ é  │
        │ 👩‍👩‍👧 │
        └────┘

        """)
  }

  @Test func `a statement without rows to show is refused`() throws {
    #expect(failure { try db.text(of: "DELETE FROM person") }?.code == .misuse)
    #expect(try db.first(.column(.int), "SELECT count(*) FROM person") == 4)
    #expect(failure { try db.text(of: "SELECT x FROM person") }?.message == "no such column: x")
  }
}
