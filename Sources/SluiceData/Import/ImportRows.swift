import SluiceCore

/// A source of rows to import, in one of the formats.
protocol ImportRows {
  /// The names of all columns that were met so far, in order; rows refer to them by index.
  ///
  /// The array is empty if the columns have no names.
  var names: [String] { get }
  /// Whether each row has all columns.
  var isRectangular: Bool { get }
  /// The line on which the current row begins.
  var line: Int { get }
  /// The current row as a line of CSV or as JSON.
  var bytes: [UInt8] { get }
  /// The number of bytes that were read.
  var byteCount: Int { get }

  /// Reads the next row, and returns whether there is one.
  mutating func advance() throws -> Bool
  /// Replaces `columns` and `values` with the columns and values of the current row.
  ///
  /// - Throws: The reason if the row is invalid; the next row can be read nevertheless.
  mutating func read(_ columns: inout [Int], _ values: inout [ImportValue]) throws
}

/// The rows of a CSV file.
struct CSVImportRows: ImportRows {
  private var records: CSVRecords
  private var width: Int?

  init(_ chunks: ByteChunks, _ format: CSVFormat) throws {
    records = try CSVRecords(chunks, format)
    width = records.names.isEmpty ? nil : records.names.count
  }

  var names: [String] { records.names }
  var isRectangular: Bool { true }
  var line: Int { records.parser.line }
  var bytes: [UInt8] { records.line }
  var byteCount: Int { records.parser.chunks.byteCount }

  mutating func advance() throws -> Bool { try records.advance() }

  mutating func read(_ columns: inout [Int], _ values: inout [ImportValue]) throws {
    let width = width ?? records.count
    self.width = width
    try records.checkWidth(width)
    if columns.count != width { columns = Array(0..<width) }
    values.removeAll(keepingCapacity: true)
    for index in 0..<width {
      values.append(try records.text(index).map { .untyped($0) } ?? .null)
    }
  }
}

/// The objects of JSON lines or of a JSON array.
struct JSONImportRows: ImportRows {
  private var elements: JSONElements
  private var indexes: [String: Int] = [:]
  private(set) var names: [String] = []

  init(_ chunks: ByteChunks, hasArray: Bool) {
    elements = JSONElements(chunks, hasArray: hasArray)
  }

  var isRectangular: Bool { false }
  var line: Int { elements.line }
  var bytes: [UInt8] { elements.bytes }
  var byteCount: Int { elements.chunks.byteCount }

  mutating func advance() throws -> Bool { try elements.advance() }

  mutating func read(_ columns: inout [Int], _ values: inout [ImportValue]) throws {
    columns.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    for (name, value) in try JSONScanner.object(elements.bytes) {
      let index = index(of: name)
      guard !columns.contains(index) else {
        throw SQLiteError(.mismatch, "The key \"\(name)\" occurs twice in the object")
      }
      columns.append(index)
      values.append(value)
    }
  }

  private mutating func index(of name: String) -> Int {
    if let index = indexes[name] {
      // Swift considers some names equal that SQLite tells apart.
      if names[index].utf8.elementsEqual(name.utf8) { return index }
      if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return index }
    } else {
      indexes[name] = names.count
    }
    names.append(name)
    return names.count - 1
  }
}
