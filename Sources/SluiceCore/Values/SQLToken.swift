/// A token of SQL, such as a word, name, number or sign, in a normalized form.
///
/// This type does not detect errors, because SQLite compiles the same SQL and reports them.
package struct SQLToken: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A keyword or an unquoted name.
    case word
    /// A name in any kind of quotes.
    case name
    case string
    case blob
    case number
    /// A parameter, such as `?5` or `:name`; only a scanner that reads parameters produces it.
    case parameter
    case sign
  }

  package let kind: Kind
  /// The content without quotes, with ASCII letters in lowercase; strings and parameters keep their case.
  package let content: [UInt8]
  /// The range of the token in the SQL, in bytes.
  package let range: Range<Int>

  /// Returns whether both tokens are equal; a quoted name equals the same name without quotes.
  package static func == (first: SQLToken, second: SQLToken) -> Bool {
    first.kind.isNaming == second.kind.isNaming
      && (first.kind.isNaming || first.kind == second.kind) && first.content == second.content
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(content) }

  /// Returns whether the token is this keyword, which must be in lowercase.
  package func `is`(_ keyword: StaticString) -> Bool {
    kind == .word && content.elementsEqual(keyword.description.utf8)
  }

  package func `is`(sign: Unicode.Scalar) -> Bool {
    kind == .sign && content.first == UInt8(ascii: sign)
  }
}

extension SQLToken.Kind {
  fileprivate var isNaming: Bool { self == .word || self == .name }
}

extension SQLToken {
  /// Returns the tokens of `sql`, without white space and comments.
  ///
  /// If `readsParameters` is true, a parameter is one token; only then are the tokens those of SQLite in each SQL.
  package static func tokens(of sql: String, readsParameters: Bool = false) -> [SQLToken] {
    var scanner = SQLScanner(Array(sql.utf8)[...], readsParameters: readsParameters)
    var tokens: [SQLToken] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }
}

extension String {
  /// The text that closes a comment left open by this SQL, so that appended SQL is not part of the comment.
  ///
  /// The text is empty for nearly all SQL.
  package var endOfComment: String {
    var bytes = utf8.makeIterator()
    var state = SQLPlace.code
    var previous: UInt8 = 0
    while let byte = bytes.next() {
      let isPair = state.follows(previous, byte)
      // A byte of one pair is not part of another: `/*/` leaves the comment open.
      previous = isPair ? 0 : byte
    }
    return switch state {
    case .line: "\n"
    case .block: " */"
    case .code, .quoted: ""
    }
  }
}

/// The kind of text in SQL that a byte belongs to.
private enum SQLPlace {
  case code
  case line
  case block
  case quoted(until: UInt8)

  /// Advances by one byte, and returns whether the byte completed a delimiter, and so cannot begin another.
  mutating func follows(_ previous: UInt8, _ byte: UInt8) -> Bool {
    switch self {
    case .code:
      switch (previous, byte) {
      case (UInt8(ascii: "-"), UInt8(ascii: "-")): self = .line
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): self = .block
      case (_, UInt8(ascii: "'")), (_, UInt8(ascii: "\"")), (_, UInt8(ascii: "`")):
        self = .quoted(until: byte)
      case (_, UInt8(ascii: "[")): self = .quoted(until: UInt8(ascii: "]"))
      default: return false
      }
      return true
    case .line:
      if byte == UInt8(ascii: "\n") { self = .code }
    case .block:
      guard previous == UInt8(ascii: "*"), byte == UInt8(ascii: "/") else { return false }
      self = .code
      return true
    case .quoted(let end):
      // A doubled quote ends the text, and immediately starts it again.
      guard byte == end else { return false }
      self = .code
      return true
    }
    return false
  }
}

extension SQLToken {
  /// Whether the token can be the name of a database, table or column.
  package var isName: Bool { kind == .word || kind == .name || kind == .string }

  /// The content as text.
  package var name: String { String(decoding: content, as: UTF8.self) }

  /// The content with ASCII letters in lowercase, as SQLite compares names.
  var contentWithoutCase: [UInt8] {
    guard kind == .string else { return content }
    return content.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Returns whether the token is this name, in any kind of quotes.
  package func names(_ name: String) -> Bool { isName && self.name.withoutCase == name.withoutCase }
}

extension RandomAccessCollection<SQLToken> {
  /// The indexes of the tokens outside parentheses.
  package var outerIndexes: [Index] {
    var depth = 0
    return indices.filter { index in
      if self[index].is(sign: ")") { depth -= 1 }
      defer { if self[index].is(sign: "(") { depth += 1 } }
      return depth == 0
    }
  }
}
