import SluiceCore

/// The values of a row as SQL literals.
struct RowLiterals {
  let encoding: TextEncoding
  /// The number of values; with an encoding other than UTF-8, the bytes of their text follow them.
  let count: Int

  /// Writes the value of a column.
  func write(_ row: borrowing Row, _ index: Int, to writer: inout DumpWriter) throws {
    switch try row.storageClass(at: index) {
    case .null: writer.write("NULL")
    case .integer: writer.write(try row.integer(at: index))
    case .real: try writer.write(row.real(at: index))
    case .blob: try row.withBytes(at: index) { try writer.write(blob: $0) }
    case .text:
      guard encoding != .utf8 else {
        return try row.withUTF8(at: index) { text in
          try writer.write(text: text, isPlain: PlainText.isPlain(text))
        }
      }
      let isPlain = try row.withBytes(at: index + count) { bytes in
        let isPlain = PlainText.isPlain(
          utf16: bytes, isLittleEndian: encoding == .utf16LittleEndian)
        if !isPlain { try writer.writeCast(bytes) }
        return isPlain
      }
      if isPlain { try row.withUTF8(at: index) { try writer.write(text: $0, isPlain: true) } }
    }
  }

  /// Returns whether two columns of a row contain the same value.
  func isSame(_ row: borrowing Row, _ first: Int, _ second: Int) throws -> Bool {
    let kind = try row.storageClass(at: first)
    guard try row.storageClass(at: second) == kind else { return false }
    switch kind {
    case .null: return true
    case .integer: return try row.integer(at: first) == row.integer(at: second)
    case .real: return try row.real(at: first).bitPattern == row.real(at: second).bitPattern
    case .blob: return try row.blob(at: first) == row.blob(at: second)
    case .text:
      let offset = encoding == .utf8 ? 0 : count
      return try row.blob(at: first + offset) == row.blob(at: second + offset)
    }
  }
}
