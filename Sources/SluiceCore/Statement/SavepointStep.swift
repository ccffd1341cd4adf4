/// An SQL operation on a savepoint, with the name in lower case.
enum SavepointStep: Equatable {
  case begin(String)
  case release(String)
  case rollBack(String)

  init?(_ operation: String, _ name: String) {
    switch operation {
    case "BEGIN": self = .begin(name.withoutCase)
    case "RELEASE": self = .release(name.withoutCase)
    case "ROLLBACK": self = .rollBack(name.withoutCase)
    default: return nil
    }
  }
}

extension SavepointStep {
  /// Returns whether SQL without result columns may begin or end a savepoint.
  ///
  /// Only the first letter is checked. SQL that begins with a comment yields true.
  static func mayBe(in sql: String) -> Bool {
    let start = sql.utf8.drop { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    guard let first = start.first else { return false }
    let letter = first | 0x20
    guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) else { return true }
    return letter == UInt8(ascii: "s") || letter == UInt8(ascii: "r")
  }

  /// Creates the step that a prepared statement performs; nil for any other statement.
  init?(sql: String) {
    var tokens = SQLToken.tokens(of: sql).drop { $0.is(sign: ";") }[...]
    // After RELEASE and TO, an unquoted `savepoint` is the keyword, because a savepoint with that name needs
    // quotes there.
    func skip(_ keyword: StaticString) -> Bool {
      guard let token = tokens.first, token.is(keyword) else { return false }
      tokens = tokens.dropFirst()
      return true
    }
    func name() -> String? {
      tokens.first.map { String(decoding: $0.content, as: UTF8.self).withoutCase }
    }
    if skip("savepoint") {
      guard let name = name() else { return nil }
      self = .begin(name)
    } else if skip("release") {
      _ = skip("savepoint")
      guard let name = name() else { return nil }
      self = .release(name)
    } else if skip("rollback") {
      // ROLLBACK TRANSACTION can be followed by a name, which SQLite ignores.
      guard let place = tokens.firstIndex(where: { $0.is("to") }) else { return nil }
      tokens = tokens[(place + 1)...]
      _ = skip("savepoint")
      guard let name = name() else { return nil }
      self = .rollBack(name)
    } else {
      return nil
    }
  }
}
