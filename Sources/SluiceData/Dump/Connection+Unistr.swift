import SluiceCore

extension Connection {
  /// Adds SQLite's function `unistr` if the linked version lacks it, and returns whether it was added.
  ///
  /// The `sqlite3` shell since version 3.50 writes text with control characters, such as line breaks, as a call of this
  /// function.
  func addUnistr() throws -> Bool {
    guard (try? prepare(sql: "SELECT unistr('')")) == nil else { return false }
    try addFunction("unistr", options: .deterministic) { (text: String?) in
      try text.map(Self.decodingEscapes)
    }
    return true
  }

  /// Returns a text in which each escape, such as `\u000a` or `\\`, is replaced by its character.
  private static func decodingEscapes(_ text: String) throws -> String {
    var result = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "\\") {
      result += rest[..<start]
      rest = rest[rest.index(after: start)...]
      if rest.first == "\\" {
        result.append(rest.removeFirst())
        continue
      }
      let count =
        switch rest.first {
        case "u": 4
        case "+": 6
        case "U": 8
        default: 0
        }
      if count > 0 { rest.removeFirst() }
      let digits = rest.prefix(count == 0 ? 4 : count)
      rest = rest[digits.endIndex...]
      guard digits.count == max(count, 4), digits.allSatisfy(\.isHexDigit),
        let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
      else { throw SQLiteError(.error, "invalid Unicode escape") }
      result.unicodeScalars.append(scalar)
    }
    return result + rest
  }
}
