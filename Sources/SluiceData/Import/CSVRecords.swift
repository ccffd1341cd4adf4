import SluiceCore

/// The rows of a CSV file, after its header, without empty lines.
struct CSVRecords {
  private(set) var parser: CSVParser
  /// The names of the columns; empty if they are unknown, because neither the format nor the file has any.
  private(set) var names: [String] = []
  /// The number of columns, or nil before the first row of a file without a header.
  private var width: Int?
  private let null: [UInt8]?

  /// Reads the header.
  init(_ chunks: ByteChunks, _ format: CSVFormat) throws {
    parser = CSVParser(chunks, separator: try format.separatorByte())
    null = format.null.map { Array($0.utf8) }
    if format.hasHeader, try advance() {
      names = try (0..<parser.count).map { index in
        let name = try text(index) ?? ""
        return name.isEmpty ? "column\(index + 1)" : name
      }
    }
    if let given = format.columnNames {
      guard !format.hasHeader || names.isEmpty || given.count == names.count else {
        throw SQLiteError(
          .mismatch,
          "The header has \(names.count.counting("column")), but \(given.count.counting("name")) "
            + "\(given.count == 1 ? "is" : "are") given")
      }
      names = given
    }
    width = names.isEmpty ? nil : names.count
  }

  /// Reads the next row, and returns whether there is one.
  mutating func advance() throws -> Bool {
    while try parser.advance() {
      // In a file with one column, an empty line is a field that is empty.
      guard parser.isEmptyLine, width != 1 else {
        if width == nil { width = parser.count }
        return true
      }
    }
    return false
  }

  /// The number of fields of the current row.
  var count: Int { parser.count }

  /// Returns the text of a field; nil for NULL; throws for text that is not UTF-8.
  func text(_ index: Int) throws -> String? {
    let bytes = parser.field(index)
    if let null, !parser.isQuoted[index], bytes.elementsEqual(null) { return nil }
    guard let text = PlainText.string(bytes) else {
      throw SQLiteError(
        .mismatch,
        "Field \(index + 1) is not UTF-8; the format's encoding may be Windows-1252")
    }
    return text
  }

  /// Throws if the number of fields is not the number of columns.
  func checkWidth(_ expected: Int) throws {
    guard count == expected else {
      throw SQLiteError(
        .mismatch,
        "The row has \(count.counting("field")), but there \(expected == 1 ? "is" : "are") "
          + expected.counting("column"))
    }
  }

  /// The current row as a line of CSV, with its bytes unchanged.
  var line: [UInt8] {
    var writer = CSVWriter(CSVFormat(null: nil))
    for index in 0..<parser.count {
      writer.field(parser.field(index), isQuoted: parser.isQuoted[index])
    }
    return writer.bytes
  }
}
