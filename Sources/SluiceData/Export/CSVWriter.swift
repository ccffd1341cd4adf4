import SluiceCore

/// A writer of CSV.
struct CSVWriter: RowWriter {
  var bytes: [UInt8] = []
  private let format: CSVFormat
  private let separator: UInt8
  private let null: [UInt8]?
  private var isAtRowStart = true

  /// Creates a writer whose format has a valid separator.
  init(_ format: CSVFormat) {
    self.format = format
    separator = format.separator.asciiValue ?? UInt8(ascii: ",")
    null = format.null.map { Array($0.utf8) }
    if format.writesByteOrderMark { bytes = CSV.byteOrderMark }
  }

  /// Creates a writer, and writes the header if the format has one.
  init(_ format: CSVFormat, header names: [String]) throws {
    _ = try format.separatorByte()
    self.init(format)
    if let given = format.columnNames, given.count != names.count {
      throw SQLiteError(
        .misuse,
        "The query has \(names.count.counting("column")), but \(given.count.counting("name")) "
          + "\(given.count == 1 ? "is" : "are") given")
    }
    if format.hasHeader { row(format.columnNames ?? names) }
  }

  mutating func write(_ row: borrowing Row, _ blobs: BlobEncoding) throws {
    for index in row.indices {
      switch try row.value(at: index) {
      case .null: try nullField()
      case .integer(let value): field("\(value)".utf8)
      case .real(let value): field(value.jsonText.utf8)
      case .text(let text): field(text.utf8)
      case .blob(let bytes): field(blobs.text(of: bytes).utf8)
      }
    }
    endRow()
  }

  mutating func finish() {}

  /// Writes a row of text.
  mutating func row(_ fields: [String]) {
    for text in fields { field(text.utf8) }
    endRow()
  }

  /// Writes a field, and quotes it if `isQuoted` is true or the text requires it.
  mutating func field(_ text: some Collection<UInt8>, isQuoted: Bool = false) {
    beginField()
    guard isQuoted || needsQuotes(text) else {
      bytes.append(contentsOf: text)
      return
    }
    bytes.append(CSV.quote)
    if text.contains(CSV.quote) {
      for byte in text {
        if byte == CSV.quote { bytes.append(CSV.quote) }
        bytes.append(byte)
      }
    } else {
      bytes.append(contentsOf: text)
    }
    bytes.append(CSV.quote)
  }

  /// Writes a field that is NULL.
  mutating func nullField() throws {
    guard let null else {
      throw SQLiteError(.mismatch, "The format has no text for NULL; set its property `null`")
    }
    beginField()
    bytes.append(contentsOf: null)
  }

  mutating func endRow() {
    if format.writesCRLF { bytes.append(CSV.carriageReturn) }
    bytes.append(CSV.lineFeed)
    isAtRowStart = true
  }

  private mutating func beginField() {
    if !isAtRowStart { bytes.append(separator) }
    isAtRowStart = false
  }

  private func needsQuotes(_ text: some Collection<UInt8>) -> Bool {
    if let null, text.elementsEqual(null) { return true }
    // At the start of a file, these bytes would be a byte order mark.
    if text.starts(with: CSV.byteOrderMark) { return true }
    return text.contains { byte in
      byte == separator || byte == CSV.quote || byte == CSV.lineFeed
        || byte == CSV.carriageReturn
    }
  }
}
