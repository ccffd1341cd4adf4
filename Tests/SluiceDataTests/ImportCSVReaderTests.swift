import Foundation
import Sluice
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.values)) struct `CSV reader` {
  /// A format in which every field is text.
  static let plain = CSVFormat(hasHeader: false, null: nil)

  /// Returns the fields of all rows.
  static func rows(
    _ chunks: [[UInt8]], _ format: CSVFormat = plain
  ) throws -> [[String?]] {
    let reader = try CSVReader(chunks: chunks, format)
    var rows: [[String?]] = []
    while let row = try reader.next() { rows.append(row.fields) }
    return rows
  }

  static func rows(_ text: String, _ format: CSVFormat = plain) throws -> [[String?]] {
    try rows([Array(text.utf8)], format)
  }

  @Test(arguments: [
    ("", []),
    ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
    ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
    ("a,b\n\n\r\n\r1,2\n\n", [["a", "b"], ["1", "2"]]),
    ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]),
    ("\"a\r\nb\",c\r\n", [["a\r\nb", "c"]]),
    (",\n,", [["", ""], ["", ""]]),
    ("\"\",\"\"\"\"\n", [["", "\""]]),
    ("a\"b\",5\" pipe\n", [["a\"b\"", "5\" pipe"]]),
    ("\"a\"b\"c,d\n", [["ab\"c", "d"]]),
    ("\u{feff}a,b\n", [["a", "b"]]),
    ("\u{feff}\"a\",b\n", [["a", "b"]]),
    ("a,\u{feff}b\n", [["a", "\u{feff}b"]]),
    ("a,b,c\n1\n1,2,3,4\n", [["a", "b", "c"], ["1"], ["1", "2", "3", "4"]]),
    ("é,日本\n\u{0},x\n", [["é", "日本"], ["\u{0}", "x"]]),
    ("a\n\nb\n", [["a"], [""], ["b"]]),
    ("a,\"b\"", [["a", "b"]]),
    ("a,", [["a", ""]]),
    ("a;b\tc,d", [["a;b\tc", "d"]]),
  ])
  func `the reader accepts RFC 4180 and common deviations`(
    _ text: String, _ expected: [[String]]
  ) throws {
    #expect(try Self.rows(text) == expected)
  }

  @Test(arguments: [
    "\u{feff}a,\"b\"\"c\r\n\",d\r\n\r\n\"\",é,日本\n\"x\"y,\"\r\n\",\r,\"\"\"\"",
    "\r\r\n\na\"b,\"c\n\rd\"\"\"\r\"\r\n\",\"\"",
    "\u{feff}\r\n\"\u{feff}\",\u{feff}\n",
    ",,\n\n,\"\",\r",
  ])
  func `every position can be the end of a chunk`(_ text: String) throws {
    let bytes = Array(text.utf8)
    let expected = try Self.rows([bytes])
    #expect(!expected.isEmpty)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
        #expect(try Self.rows(chunks) == expected, "split at \(first) and \(second)")
      }
    }
    #expect(try Self.rows(bytes.map { [$0] }) == expected)
  }

  @Test func `each row has the number of its first line`() throws {
    let text = "a,b\r\n\r\n1,\"x\r\ny\nz\rw\"\n2,3\r4,\"\n\n\"\n5,6"
    for size in 1...text.utf8.count {
      let bytes = Array(text.utf8)
      let chunks = stride(from: 0, to: bytes.count, by: size).map { start in
        bytes[start..<min(start + size, bytes.count)]
      }
      let reader = try CSVReader(chunks: chunks)
      var lines: [Int] = []
      while let row = try reader.next() { lines.append(row.line) }
      #expect(lines == [3, 7, 8, 11], "chunks of \(size) bytes")
    }
  }

  @Test func `an empty field is NULL, and a quoted empty field is the empty text`() throws {
    let text = "a,b,c\n,\"\",NULL\n"
    let header = try CSVReader(chunks: [Array(text.utf8)])
    #expect(header.columnNames == ["a", "b", "c"])
    #expect(try header.next()?.fields == [nil, "", "NULL"])
    #expect(try Self.rows(text, CSVFormat(null: "NULL")) == [["", "", nil]])
    #expect(try Self.rows(text, CSVFormat(null: nil)) == [["", "", "NULL"]])
    #expect(
      try Self.rows("\"NULL\",NULL", CSVFormat(hasHeader: false, null: "NULL")) == [["NULL", nil]])
  }

  @Test func `other separators are accepted, and invalid ones are refused`() throws {
    let expected: [[String?]] = [["a", "b,c"], ["d;\te|", "f"]]
    for separator: Character in [";", "\t", "|"] {
      let text = "a\(separator)b,c\n\"d;\te|\"\(separator)f"
      #expect(try Self.rows(text, CSVFormat(separator: separator, hasHeader: false)) == expected)
    }
    for separator: Character in ["\"", "\n", "\r", "\r\n", "é", "🇩🇪"] {
      let error = failure { try CSVReader(chunks: [[UInt8]](), CSVFormat(separator: separator)) }
      #expect(error?.code == .misuse)
    }
  }

  @Test func `columns have the names of the header or the given names`() throws {
    let bytes = Array("a,,c\n1,2,3\n".utf8)
    #expect(try CSVReader(chunks: [bytes]).columnNames == ["a", "column2", "c"])
    let given = try CSVReader(chunks: [bytes], CSVFormat(columnNames: ["x", "y", "z"]))
    #expect(given.columnNames == ["x", "y", "z"])
    let row = try #require(try given.next())
    #expect(row["y"] == "2")
    #expect(row["a"] == nil)
    #expect(try given.next() == nil)
    #expect(try CSVReader(chunks: [bytes], CSVFormat(hasHeader: false)).columnNames.isEmpty)
    let error = failure { try CSVReader(chunks: [bytes], CSVFormat(columnNames: ["x"])) }
    #expect(error?.message == "The header has 3 columns, but 1 name is given")
  }

  @Test func `a row that is not UTF-8 throws, and the next row can be read`() throws {
    let bytes = Array("a,b\n1,".utf8) + [0xe9, 0xff] + Array("\n2,x\n".utf8)
    let reader = try CSVReader(chunks: [bytes])
    let error = failure { try reader.next() }
    #expect(error?.code == .mismatch)
    #expect(
      error?.message
        == "Line 2: Field 2 is not UTF-8; the format's encoding may be Windows-1252")
    #expect(try reader.next()?.fields == ["2", "x"])
  }

  @Test func `Windows-1252 is converted, and UTF-16 is refused`() throws {
    let bytes: [UInt8] = [0x80, 0x2c, 0xe9, 0x2c, 0x81, 0x2c, 0xff]
    let format = CSVFormat(hasHeader: false, encoding: .windows1252)
    #expect(try Self.rows(bytes.map { [$0] }, format) == [["€", "é", "\u{81}", "ÿ"]])
    for mark: [UInt8] in [[0xff, 0xfe], [0xfe, 0xff]] {
      let error = failure { try Self.rows([mark + [0x61, 0]]) }
      #expect(error?.code == .mismatch)
      #expect(error?.message.contains("UTF-16") == true)
    }
  }

  @Test func `a quote that is not closed throws with the line of its row`() throws {
    let reader = try CSVReader(chunks: [Array("a,b\n1,2\n3,\"4\n5,6\n".utf8)])
    #expect(try reader.next()?.fields == ["1", "2"])
    let error = failure { try reader.next() }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "Line 3: a quote is not closed before the end of the data")
  }

  @Test func `a field can be 10 MB`() throws {
    let big = String(repeating: "a\"\r\n,é", count: 1_500_000)
    let text = "x,\"\(big.replacing("\"", with: "\"\""))\"\n1,2\n"
    let bytes = Array(text.utf8)
    let chunks = stride(from: 0, to: bytes.count, by: 4096).map { start in
      bytes[start..<min(start + 4096, bytes.count)]
    }
    let reader = try CSVReader(chunks: chunks, Self.plain)
    #expect(try reader.next()?.fields == ["x", big])
    #expect(try reader.next()?.fields == ["1", "2"])
  }

  @Test func `a file is read like its bytes, and a missing file throws`() throws {
    let folder = try TestFolder()
    let text = (0..<50_000).map { "\($0),\"x\n\($0)\"\n" }.joined()
    try folder.write(Array(text.utf8), to: "a.csv")
    let reader = try CSVReader(URL(filePath: folder.file("a.csv")), Self.plain)
    var count = 0
    while let row = try reader.next() {
      #expect(row.fields == ["\(count)", "x\n\(count)"])
      count += 1
    }
    #expect(count == 50_000)
    #expect(failure { try CSVReader(URL(filePath: folder.file("b.csv"))) }?.code == .cantOpen)
    #expect(failure { try CSVReader(folder.url) }?.code != nil)
    let web = try #require(URL(string: "https://example.com/a.csv"))
    #expect(failure { try CSVReader(web) }?.code == .cantOpen)
  }
}

@Suite(.tags(.coding)) struct `CSV decoding` {
  private struct Person: Codable, Equatable {
    var name: String
    var age: Int?
    var height: Double
    var photo: Data?
    var born: Date?
  }

  @Test func `rows are decoded by the names of their columns`() throws {
    let text = """
      height,name,age,photo,born
      1.75,Ada,36,AP8=,1815-12-10 00:00:00
      2,"Alan, T.",,,

      """
    let people = try CSVReader(chunks: [Array(text.utf8)]).decode(Person.self)
    #expect(people.map(\.name) == ["Ada", "Alan, T."])
    #expect(people.map(\.age) == [36, nil])
    #expect(people.map(\.height) == [1.75, 2])
    #expect(people.map(\.photo) == [Data([0, 255]), nil])
    #expect(people[0].born?.timeIntervalSince1970 == -4_861_728_000)
  }

  @Test func `a row that cannot be decoded throws with its line, and the next row can be decoded`()
    throws
  {
    let text = "name,age,height\nAda,x,1\nAda,1\nAda,1,\nAlan,41,1.8\n"
    let reader = try CSVReader(chunks: [Array(text.utf8)])
    for (line, part) in [(2, "x"), (4, "NULL")] {
      if line == 4 {
        #expect(
          failure { try reader.next(Person.self) }?.message
            == "Line 3: The row has 2 fields, but there are 3 columns")
      }
      let error = #expect(throws: DecodingError.self) { try reader.next(Person.self) }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("Line \(line): "), "\(part): \(text)")
    }
    #expect(try reader.next(Person.self)?.name == "Alan")
    #expect(try reader.next(Person.self) == nil)
  }

  @Test func `a decoder with other strategies can be set`() throws {
    struct Page: Decodable { var homePage: String }
    let reader = try CSVReader(chunks: [Array("home_page\nx\n".utf8)])
    reader.decoder = RowDecoder(CodingStrategies(keys: .snakeCase))
    #expect(try reader.decode(Page.self).map(\.homePage) == ["x"])
  }

  @Test func `rows without names are decoded in order`() throws {
    let reader = try CSVReader(chunks: [Array("1,2\n3,4\n".utf8)], CSVFormat(hasHeader: false))
    #expect(try reader.decode([Int].self) == [[1, 2], [3, 4]])
  }
}
