import SluiceCore

/// A writer of JSON objects, as lines or as an array.
struct JSONWriter: RowWriter {
  var bytes: [UInt8] = []
  /// For each column, its name as a JSON string with a colon.
  private let keys: [[UInt8]]
  private let isArray: Bool
  private var isFirst = true

  /// Creates a writer for rows with these columns, whose names must be different.
  init(_ names: [String], isArray: Bool = false) throws {
    var used: Set<[UInt8]> = []
    for name in names where !used.insert(Array(name.utf8)).inserted {
      throw SQLiteError(
        .misuse, "Two columns are named \"\(name)\", but JSON needs different keys; use AS")
    }
    keys = names.map { name in
      var key: [UInt8] = []
      key.append(jsonString: name)
      return key + [UInt8(ascii: ":")]
    }
    self.isArray = isArray
    if isArray { bytes.append(UInt8(ascii: "[")) }
  }

  mutating func write(_ row: borrowing Row, _ blobs: BlobEncoding) throws {
    if isArray { append(isFirst ? "\n" : ",\n") }
    isFirst = false
    append("{")
    for index in row.indices {
      if index > 0 { append(",") }
      bytes.append(contentsOf: keys[index])
      switch try row.value(at: index) {
      case .null: append("null")
      case .integer(let value): append("\(value)")
      case .real(let value): append(value.jsonText)
      case .text(let text): bytes.append(jsonString: text)
      case .blob(let bytes): self.bytes.append(jsonString: blobs.text(of: bytes))
      }
    }
    append(isArray ? "}" : "}\n")
  }

  mutating func finish() {
    if isArray { append(isFirst ? "]\n" : "\n]\n") }
  }

  private mutating func append(_ json: String) { bytes.append(contentsOf: json.utf8) }
}
