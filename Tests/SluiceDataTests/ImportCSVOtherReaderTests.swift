import Foundation
import Sluice
import SluiceData
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.values)) struct `CSV readers of other programs` {
  /// A program that prints the rows of each file as JSON lines, without empty lines.
  private static let script = """
    import csv, json, sys
    csv.field_size_limit(1 << 30)
    for path in sys.argv[1:]:
        with open(path, newline="", encoding="utf-8-sig") as file:
            print(json.dumps([row for row in csv.reader(file) if row]))
    """

  private static func python(_ arguments: [String]) throws -> (status: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  /// Whether Python is installed.
  static let hasPython = (try? python(["-c", "import csv"]).status == 0) == true

  /// Returns random bytes with at least two fields in each row that is not empty.
  private static func text(_ random: inout SeededGenerator) -> String {
    let pieces = [
      "a", "bc", " ", "é", "日", ",", ",", "\"", "\"\"", "\n", "\r\n", "\r", ";", "\t", "'", "\\",
      ",\"", "\",", "\"\n", "\u{feff}", "x\"y",
    ]
    let count = Int.random(in: 0...40, using: &random)
    var text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    // Only the end of the data can differ: a quote that is not closed is an error.
    if !isClosed(text) { text += "\"" }
    return text
  }

  private static func isClosed(_ text: String) -> Bool {
    (try? `CSV reader`.rows(text)) != nil
  }

  @Test(.enabled(if: hasPython))
  func `random files have the same rows as in Python`() throws {
    let folder = try TestFolder()
    var random = SeededGenerator(seed: 26)
    let texts = (0..<rounds(300, long: 5_000)).map { _ in Self.text(&random) }
    for start in stride(from: 0, to: texts.count, by: 100) {
      let part = texts[start..<min(start + 100, texts.count)]
      for (index, text) in part.enumerated() {
        try folder.write(Array(text.utf8), to: "\(index).csv")
      }
      let (status, output) = try Self.python(
        ["-c", Self.script] + part.indices.map { folder.file("\($0 - start).csv") })
      #expect(status == 0)
      let lines = output.split(separator: UInt8(ascii: "\n"))
      #expect(lines.count == part.count)
      for (line, text) in zip(lines, part) {
        let expected = try JSONDecoder().decode([[String]].self, from: Data(line))
        let rows = try `CSV reader`.rows(text).map { $0.compactMap(\.self) }
        // Python has no row for an empty line, which is a row in a file with one column.
        #expect(
          rows.filter { $0 != [""] } == expected.filter { $0 != [""] }, "\(text.debugDescription)")
        let chunk = Int.random(in: 1...7, using: &random)
        let bytes = Array(text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: chunk).map { start in
          Array(bytes[start..<min(start + chunk, bytes.count)])
        }
        #expect(try `CSV reader`.rows(chunks) == rows, "\(text.debugDescription)")
      }
    }
  }

  @Test(.enabled(if: hasPython))
  func `Python reads exported rows`() throws {
    let folder = try TestFolder()
    let connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE t(a, b);
      INSERT INTO t VALUES ('x,"y', 'a' || char(13, 10) || 'b'), ('', ' z '), (1.5, x'00ff'), (7, NULL)
      """)
    try connection.exportRows("SELECT * FROM t", to: URL(filePath: folder.file("t.csv")))
    let (_, output) = try Self.python(["-c", Self.script, folder.file("t.csv")])
    let rows = try JSONDecoder().decode([[String]].self, from: output)
    #expect(
      rows == [
        ["a", "b"], ["x,\"y", "a\r\nb"], ["", " z "], ["1.5", "AP8="], ["7", ""],
      ])
  }
}
