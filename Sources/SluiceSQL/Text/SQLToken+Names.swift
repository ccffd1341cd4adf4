import Sluice

extension SQLToken {
  /// Whether the token can be a name.
  var isName: Bool { kind == .word || kind == .name || kind == .string }

  /// Returns whether the token is this name, in any kind of quotes.
  func names(_ name: String) -> Bool {
    isName && String(decoding: content, as: UTF8.self).lowercased() == name.lowercased()
  }

  /// Returns the indexes of tokens outside parentheses.
  static func outerIndexes(of tokens: [SQLToken]) -> [Int] {
    var depth = 0
    return tokens.indices.filter { index in
      if tokens[index].is(sign: ")") { depth -= 1 }
      defer { if tokens[index].is(sign: "(") { depth += 1 } }
      return depth == 0
    }
  }
}

extension String {
  /// The content of the token that is this name.
  var nameContent: [UInt8] {
    SQLToken.tokens(of: quotedName).first?.content ?? Array(utf8)
  }
}
