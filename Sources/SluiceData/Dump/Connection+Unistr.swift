import SluiceCore

extension Connection {
  /// Adds SQLite's function `unistr` if the linked version lacks it, and returns whether it was added.
  ///
  /// The `sqlite3` shell since version 3.50 writes text with control characters, such as line breaks, as a call of this
  /// function.
  func addUnistr() throws -> Bool {
    do {
      _ = try prepare(sql: "SELECT unistr('')")
      return false
    } catch let error as SQLiteError where error.message == "no such function: unistr" {
    } catch {
      // An authorizer may deny the function. A statement that uses it then throws the error.
      return false
    }
    try addFunction("unistr", options: .deterministic) { (text: String?) in
      try text.map(Self.decodingEscapes)
    }
    return true
  }

  /// Returns a text in which each escape, such as `\u000a` or `\\`, is replaced by its character.
  private static func decodingEscapes(_ text: String) throws -> String {
    var result = String.UnicodeScalarView()
    // Not by `Character`: an escape can precede a combining mark.
    var rest = text.unicodeScalars[...]
    while let start = rest.firstIndex(of: "\\") {
      result += rest[..<start]
      rest = rest[start...].dropFirst()
      if rest.first == "\\" {
        result.append(rest.removeFirst())
        continue
      }
      let length: Int? =
        switch rest.first {
        case "u": 4
        case "+": 6
        case "U": 8
        default: nil
        }
      if length != nil { rest.removeFirst() }
      let digits = rest.prefix(length ?? 4)
      rest = rest[digits.endIndex...]
      guard digits.count == length ?? 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
        let scalar = UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init)
      else { throw SQLiteError(.error, "invalid Unicode escape") }
      result.append(scalar)
    }
    return String(result + rest)
  }
}
