import Foundation
import SluiceCore
import TestSupport
import Testing

/// A table that reads a file is often the first virtual table that a developer writes.
@Suite(.tags(.virtualTables), .inEachThreadingMode)
struct `a virtual table of comma-separated values` {
  private func connection() throws -> Connection {
    let connection = try Connection.inTestedMode()
    try connection.addModule("csv") { try CSVTable($0) }
    return connection
  }

  private func rows(_ data: String, _ options: String = "") throws -> [[DatabaseValue]] {
    let connection = try connection()
    let literal = data.replacing("'", with: "''")
    try connection.execute(sql: "CREATE VIRTUAL TABLE t USING csv(data='\(literal)'\(options))")
    return try connection.query(.values, sql: "SELECT * FROM t").map(\.values)
  }

  static let files: [(String, [[DatabaseValue]])] = [
    ("", []),
    ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
    ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
    ("a,\n,b\n", [["a", ""], ["", "b"]]),
    ("\"a,b\",c\n", [["a,b", "c"]]),
    ("\"a\"\"b\",\"\"\n", [["a\"b", ""]]),
    ("\"a\nb\",\"c\r\nd\"\n", [["a\nb", "c\r\nd"]]),
    (" a , b \n", [[" a ", " b "]]),
    ("it's,ü\n", [["it's", "ü"]]),
    ("\n", [[""]]),
  ]

  @Test(arguments: files) func `a CSV table parses records by the rules of RFC 4180`(
    _ data: String, _ wanted: [[DatabaseValue]]
  ) throws {
    #expect(try rows(data) == wanted)
  }

  @Test(arguments: [
    ("a,b\n\"c\nd,e", "line 2: a quoted field has no end"),
    ("a,b\nc\"d,e\n", "line 2: a quote inside a field without quotes"),
    ("a,b\n\"x\ny\"z,c\n", "line 3: text after a quoted field"),
    ("a,b\n\"x\ny\",c\nd\n", "line 4: 1 fields instead of 2"),
    ("a,b\nc,d,e\n", "line 2: 3 fields instead of 2"),
  ])
  func `a CSV table reports a malformed record with its line number`(
    _ data: String, _ message: String
  )
    throws
  {
    #expect(failure { try rows(data) }?.message == message)
  }

  @Test func `the header of a CSV table can name columns with quotes, commas and keywords`() throws
  {
    let connection = try connection()
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE t USING csv(
          data='name,"size ""in"" m, or so",order
        Elbe,1094,1', header=yes)
        """)
    #expect(try connection.column("SELECT \"size \"\"in\"\" m, or so\" FROM t") == ["1094"])
    #expect(try connection.column("SELECT \"order\" FROM t WHERE name = 'Elbe'") == ["1"])
  }

  @Test func `each connection to a CSV table reads the file again`() throws {
    let folder = try TestFolder()
    let file = folder.path + "/a.csv"
    try "a,b\n1,2\n".write(toFile: file, atomically: true, encoding: .utf8)
    let sql = "CREATE VIRTUAL TABLE IF NOT EXISTS t USING csv(filename='\(file)', header=on)"
    for rows in [["1"], ["1", "3"]] as [[DatabaseValue]] {
      let connection = try Connection(path: folder.file())
      try connection.addModule("csv") { try CSVTable($0) }
      try connection.execute(sql: sql)
      #expect(try connection.column("SELECT a FROM t") == rows)
      try connection.close()
      try "a,b\n1,2\n3,4".write(toFile: file, atomically: true, encoding: .utf8)
    }
    try Data([0x61, 0x0a, 0xff]).write(to: URL(filePath: file))
    let connection = try Connection(path: folder.file())
    try connection.addModule("csv") { try CSVTable($0) }
    let error = failure { try connection.column("SELECT * FROM t") }
    #expect(error?.message == "line 2: text that is not UTF-8")
  }

  @Test(arguments: [
    "", "data='a', filename='b'", "data='a', heather=yes", "data='a', header=perhaps",
    "data='a', columns=0", "data='a', columns=x", "filename='/nowhere/a.csv'", "nonsense",
    "data='a,b', columns=3",
  ])
  func `creating a CSV table with invalid arguments throws`(_ arguments: String) throws {
    let connection = try connection()
    let error = failure {
      try connection.execute(sql: "CREATE VIRTUAL TABLE t USING csv(\(arguments))")
    }
    #expect(error != nil)
    #expect(try connection.integers("SELECT count(*) FROM sqlite_schema") == [0])
  }
}
