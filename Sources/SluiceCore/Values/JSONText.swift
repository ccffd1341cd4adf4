extension [UInt8] {
  /// Appends a text as a JSON string, in which only the characters that JSON requires are escaped.
  package mutating func append(jsonString text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): self += "\\n".utf8
      case UInt8(ascii: "\r"): self += "\\r".utf8
      case UInt8(ascii: "\t"): self += "\\t".utf8
      case 0..<0x20:
        self += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}

extension Double {
  /// The number in JSON.
  ///
  /// JSON has no infinity, but parsers round `9e999` to one, and so does SQLite.
  package var jsonText: String { isInfinite ? (self < 0 ? "-9e999" : "9e999") : "\(self)" }
}
