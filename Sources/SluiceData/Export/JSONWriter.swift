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
      var writer = JSONWriter()
      writer.append(text: name)
      return writer.bytes + [UInt8(ascii: ":")]
    }
    self.isArray = isArray
    if isArray { bytes.append(UInt8(ascii: "[")) }
  }

  /// Creates a writer of a single string.
  private init() { (keys, isArray) = ([], false) }

  /// Writes an infinity as `9e999`: JSON has no infinity, but parsers round this number to one, and so does SQLite.
  static func text(_ real: Double) -> String {
    real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
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
      case .real(let value): append(Self.text(value))
      case .text(let text): append(text: text)
      case .blob(let bytes): append(text: blobs.text(of: bytes))
      }
    }
    append(isArray ? "}" : "}\n")
  }

  mutating func finish() {
    if isArray { append(isFirst ? "]\n" : "\n]\n") }
  }

  private mutating func append(_ json: String) { bytes.append(contentsOf: json.utf8) }

  private mutating func append(text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0..<0x20:
        append("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
