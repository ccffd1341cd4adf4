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
    case sign
  }

  package let kind: Kind
  /// The content without quotes, with ASCII letters in lowercase; strings keep their case.
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
  package static func tokens(of sql: String) -> [SQLToken] {
    var scanner = SQLScanner(Array(sql.utf8))
    var tokens: [SQLToken] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }
}

/// A scanner that splits SQL into tokens as SQLite's own tokenizer does.
private struct SQLScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> SQLToken? {
    skipBlanks()
    guard let first = byte() else { return nil }
    let start = position
    let (kind, content) = read(first)
    return SQLToken(kind: kind, content: content, range: start..<position)
  }

  private mutating func read(_ first: UInt8) -> (SQLToken.Kind, [UInt8]) {
    switch first {
    case UInt8(ascii: "'"): return (.string, quoted(until: first))
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return (.name, lowercased(quoted(until: first)))
    case UInt8(ascii: "["): return (.name, lowercased(quoted(until: UInt8(ascii: "]"))))
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard byte(1) == UInt8(ascii: "'") else { return (.word, word()) }
      position += 1
      return (.blob, lowercased(quoted(until: UInt8(ascii: "'"))))
    case let byte where isDigit(byte): return (.number, number())
    case UInt8(ascii: ".") where byte(1).map(isDigit) == true: return (.number, number())
    case let byte where isWord(byte): return (.word, word())
    default:
      position += 1
      return (.sign, [first])
    }
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func skipBlanks() {
    while let byte = byte() {
      switch (byte, self.byte(1)) {
      case (UInt8(ascii: "-"), UInt8(ascii: "-")):
        position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      case (UInt8(ascii: "/"), UInt8(ascii: "*")):
        position += 2
        while let byte = self.byte(),
          !(byte == UInt8(ascii: "*") && self.byte(1) == UInt8(ascii: "/"))
        {
          position += 1
        }
        position = min(position + 2, bytes.count)
      case (UInt8(ascii: " "), _), (UInt8(ascii: "\t")...UInt8(ascii: "\r"), _): position += 1
      case (0xef, 0xbb) where self.byte(2) == 0xbf: position += 3
      default: return
      }
    }
  }

  /// Returns the text between the current quote and the closing quote `end`.
  ///
  /// A doubled `end` in the text represents a single one, unless `end` is `]`, which cannot be doubled.
  private mutating func quoted(until end: UInt8) -> [UInt8] {
    var content: [UInt8] = []
    position += 1
    while let byte = byte() {
      position += 1
      if byte == end {
        guard end != UInt8(ascii: "]"), self.byte() == end else { return content }
        position += 1
      }
      content.append(byte)
    }
    return content
  }

  private mutating func word() -> [UInt8] {
    let start = position
    while let byte = byte(), isWord(byte) || isDigit(byte) || byte == UInt8(ascii: "$") {
      position += 1
    }
    return lowercased(bytes[start..<position])
  }

  private mutating func number() -> [UInt8] {
    let start = position
    let isHexadecimal =
      byte() == UInt8(ascii: "0") && byte(1).map { $0 | 0x20 } == UInt8(ascii: "x")
    while let byte = byte() {
      let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      let followsExponent =
        !isHexadecimal && position > start && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
      guard
        isDigit(byte) || isWord(byte) || byte == UInt8(ascii: ".") || (isSign && followsExponent)
      else { break }
      position += 1
    }
    return lowercased(bytes[start..<position])
  }

  private func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || byte >= 0x80
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
