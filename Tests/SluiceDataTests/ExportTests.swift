import Foundation
import Sluice
import SluiceData
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.values)) struct `exporting rows` {
  private let connection: Connection
  private let folder: TestFolder
  private let query: SQL = """
    SELECT 1 AS id, 'a"b,c' AS "the ""name"" x", NULL AS none, '' AS empty, x'00ff' AS bytes
    UNION ALL SELECT -2.5, 'x' || char(10) || 'é', 9e999, -9e999, 'y' || char(0)
    """

  init() throws {
    connection = try Connection()
    folder = try TestFolder()
  }

  private func export(
    _ sql: SQL, as format: DataFormat, blobs: BlobEncoding = .base64
  ) throws -> String {
    var bytes: [UInt8] = []
    try connection.exportRows(sql, as: format, blobs: blobs) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a long export arrives in pieces that contain each row once`() throws {
    var pieces: [[UInt8]] = []
    let numbers: SQL = """
      WITH n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 13000) SELECT a FROM n
      """
    #expect(try connection.exportRows(numbers, as: .csv) { pieces.append($0) } == 13000)
    #expect(pieces.count > 1)
    #expect(
      String(decoding: pieces.joined(), as: UTF8.self)
        == "a\n" + (1...13000).map { "\($0)\n" }.joined())
  }

  @Test func `CSV quotes where necessary, and NULL has no quotes`() throws {
    #expect(
      try export(query, as: .csv) == """
        id,"the ""name"" x",none,empty,bytes
        1,"a""b,c",,"",AP8=
        -2.5,"x
        é",9e999,-9e999,y\0

        """)
    let format = CSVFormat(
      separator: ";", columnNames: ["a", "b;", "c", "d", "e"], null: "y\0", writesCRLF: true,
      writesByteOrderMark: true)
    #expect(
      try export(query, as: .separated(format), blobs: .hexadecimal)
        == "\u{feff}a;\"b;\";c;d;e\r\n1;\"a\"\"b,c\";y\0;;00ff\r\n-2.5;\"x\né\";9e999;-9e999;\"y\0\"\r\n"
    )
    #expect(failure { try export(query, as: .separated(CSVFormat(null: nil))) }?.code == .mismatch)
    #expect(
      failure { try export(query, as: .separated(CSVFormat(separator: "é"))) }?.code == .misuse)
    #expect(
      failure { try export(query, as: .separated(CSVFormat(columnNames: ["a"]))) }?.code == .misuse)
  }

  @Test func `JSON has numbers, strings and null`() throws {
    let first = #"{"id":1,"the \"name\" x":"a\"b,c","none":null,"empty":"","bytes":"AP8="}"#
    let second =
      #"{"id":-2.5,"the \"name\" x":"x\né","none":9e999,"empty":-9e999,"bytes":"y\u0000"}"#
    #expect(try export(query, as: .jsonLines) == "\(first)\n\(second)\n")
    #expect(try export(query, as: .jsonArray) == "[\n\(first),\n\(second)\n]\n")
    #expect(try export("SELECT 1 AS a WHERE 0", as: .jsonArray) == "[]\n")
    #expect(try export("SELECT 1 AS a WHERE 0", as: .jsonLines) == "")
  }

  @Test func `columns with the same name throw in JSON only`() throws {
    #expect(try export("SELECT 1 AS a, 2 AS a", as: .csv) == "a,a\n1,2\n")
    for format in [DataFormat.jsonLines, .jsonArray] {
      #expect(failure { try export("SELECT 1 AS a, 2 AS a", as: format) }?.code == .misuse)
    }
  }

  @Test func `text that is not UTF-8 throws with its row`() throws {
    for format in [DataFormat.csv, .jsonLines] {
      let error = failure {
        try export("SELECT 'x' AS a UNION ALL SELECT CAST(x'ff' AS TEXT)", as: format)
      }
      #expect(error?.code == .mismatch)
      #expect(error?.message.hasPrefix("Row 2: Column 0 (a)") == true)
    }
    #expect(try export("SELECT CAST(CAST(x'ff' AS TEXT) AS BLOB) AS a", as: .csv) == "a\n/w==\n")
  }

  @Test func `values are bound, and other statements are refused`() throws {
    let name = "'; DROP TABLE t; --"
    #expect(try export("SELECT \(name) AS a", as: .csv) == "a\n\(name)\n")
    try connection.execute(sql: "CREATE TABLE t(a)")
    for sql: SQL in ["DELETE FROM t", "SELECT 1; SELECT 2", "", "BEGIN"] {
      #expect(failure { try export(sql, as: .csv) }?.code == .misuse)
    }
    #expect(connection.isInAutocommit)
  }

  @Test func `a file appears when it is complete`() throws {
    let url = URL(filePath: folder.file("a.csv"))
    #expect(try connection.exportRows("SELECT 1 AS a", to: url) == 1)
    #expect(failure { try connection.exportRows("SELECT 2 AS a", to: url) }?.code == .cantOpen)
    let broken: SQL = "SELECT 'x' AS a UNION ALL SELECT CAST(x'ff' AS TEXT)"
    #expect(
      failure { try connection.exportRows(broken, to: url, overwriting: true) }?.code == .mismatch)
    #expect(try folder.bytes("a.csv") == Array("a\n1\n".utf8))
    #expect(try connection.exportRows("SELECT 2 AS a", to: url, overwriting: true) == 1)
    #expect(try folder.bytes("a.csv") == Array("a\n2\n".utf8))
    #expect(try folder.content == ["a.csv"])
    let other = URL(filePath: folder.file("a.txt"))
    #expect(failure { try connection.exportRows("SELECT 1", to: other) }?.code == .misuse)
    #expect(
      foreignFailure {
        try connection.exportRows("SELECT 1", as: .csv) { _ in throw ForeignError() }
      } != nil)
  }

  @Test func `only a regular file is replaced, and a symbolic link remains`() throws {
    let files = FileManager.default
    try folder.write([1], to: "a.csv")
    try files.createSymbolicLink(
      atPath: folder.file("link.csv"), withDestinationPath: folder.file("a.csv"))
    try connection.exportRows(
      "SELECT 1 AS a", to: URL(filePath: folder.file("link.csv")), overwriting: true)
    #expect(try folder.bytes("a.csv") == Array("a\n1\n".utf8))
    #expect(
      try files.destinationOfSymbolicLink(atPath: folder.file("link.csv")) == folder.file("a.csv"))
    // A socket or pipe would do as well as this device, which a rename would replace.
    try files.createSymbolicLink(
      atPath: folder.file("null.csv"), withDestinationPath: "/dev/null")
    for path in ["null.csv", "."].map(folder.file) {
      let url = URL(filePath: path)
      let error = failure {
        try connection.exportRows("SELECT 1 AS a", as: .csv, to: url, overwriting: true)
      }
      #expect(error?.code == .cantOpen)
      let refused = failure {
        try connection.importRows(
          from: [Array("a\n1,2\n".utf8)], as: .csv, into: "t", refusals: .write(to: url))
      }
      #expect(refused?.code == .cantOpen)
    }
    #expect(try folder.content == ["a.csv", "link.csv", "null.csv"])
    #expect(
      try files.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType != .typeRegular)
  }

  @Test(arguments: 0..<rounds(40, long: 1_000))
  func `exported rows are the same after an import`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let columns = [
      "i INTEGER", "r REAL", "t TEXT", "b BLOB", "n INTEGER", "\"a \"\"q\"\", é\" TEXT",
    ].prefix(Int.random(in: 1...6, using: &random))
    let create = "(\(columns.joined(separator: ", "))) STRICT"
    try connection.execute(sql: "CREATE TABLE t\(create)")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try connection.prepare(sql: "INSERT INTO t VALUES (\(marks))")
    for _ in 0..<30 {
      let values = (0..<columns.count).map { Self.value($0, &random) }
      try insert.bind(SQLParameters(values.map { SQLParameter($0) })).execute()
    }
    let expected = try connection.query(.values, sql: "SELECT * FROM t")
    let null = ["", "NULL", "\\N", "a"].randomElement(using: &random)
    let separator = [",", ";", "\t", " "].randomElement(using: &random) ?? ","
    let header = Bool.random(using: &random)
    for format in [
      DataFormat.csv, .tsv, .jsonLines, .jsonArray,
      .separated(
        CSVFormat(
          // Without a header and with one column, an empty line at the start would be skipped.
          separator: Character(separator), hasHeader: header || columns.count == 1, null: null,
          writesCRLF: Bool.random(using: &random), writesByteOrderMark: Bool.random(using: &random))
      ),
    ] {
      for blobs in [BlobEncoding.base64, .hexadecimal] {
        var chunks: [[UInt8]] = []
        try connection.exportRows("SELECT * FROM t", as: format, blobs: blobs) { chunks.append($0) }
        try connection.execute(sql: "CREATE TABLE copy\(create)")
        try connection.importRows(from: chunks, as: format, into: "copy", blobs: blobs)
        #expect(try connection.query(.values, sql: "SELECT * FROM copy") == expected, "\(format)")
        try connection.execute(sql: "DROP TABLE copy")
      }
    }
  }

  /// Returns a random value for a column.
  private static func value(_ column: Int, _ random: inout SeededGenerator) -> DatabaseValue {
    if Int.random(in: 0..<4, using: &random) == 0 { return .null }
    switch column {
    case 0, 4:
      return .integer(
        [.min, .max, 0, -1, Int64(bitPattern: random.next())].randomElement(using: &random) ?? 0)
    case 1:
      let real = Double(bitPattern: random.next())
      let special = [
        0, -0.5, 1e300, Double.leastNonzeroMagnitude, .infinity, -.infinity,
        .greatestFiniteMagnitude,
      ]
      return .real(
        [real.isNaN ? 1 : real, special.randomElement(using: &random) ?? 0][
          Int.random(in: 0...1, using: &random)])
    case 3:
      return .blob(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        })
    default:
      let pieces = [
        "", "a", "NULL", "\\N", "1", "007", "\"", ",", ";", "\t", " ", "\n", "\r", "\r\n", "\0",
        "é", "\u{feff}", "\u{7f}", "\\", "😀",
      ]
      return .text(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }.joined())
    }
  }
}
