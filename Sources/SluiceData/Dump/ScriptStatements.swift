/// A statement of a script.
struct ScriptStatement {
  /// The bytes of the statement, without its semicolon.
  let bytes: ArraySlice<UInt8>
  /// The line and column in bytes in which the statement begins, counted from one.
  let line: Int
  let column: Int
  /// The first word in lowercase.
  let keyword: String
}

/// A scanner that splits a script, which arrives in pieces, into its statements.
///
/// The scanner finds the ends of statements as `sqlite3_complete` does: a semicolon inside quotes, a comment or the
/// body of a trigger ends no statement. SQLite reports all errors in the statements.
struct ScriptStatements {
  private var bytes: [UInt8] = []
  /// The end of the previous statement, and its line and column.
  private var start = 0
  private var line = 1
  private var column = 1
  /// The next byte to scan.
  private var position = 0
  /// The first byte of the current statement, and of the current word.
  private var first: Int?
  private var word: Int?
  private var keyword = ""
  private var place = Place.code
  private var stage = Stage.start

  private enum Place {
    case code
    case line
    case block
    case quoted(until: UInt8)
  }

  /// The part of a statement that determines which semicolon ends it.
  private enum Stage {
    case start
    case explain
    case create
    case normal
    case trigger
    /// After a semicolon in a trigger, and after the `END` that follows such a semicolon.
    case triggerSemicolon
    case triggerEnd
  }

  mutating func append(_ piece: [UInt8]) {
    bytes.removeSubrange(..<start)
    position -= start
    first = first.map { $0 - start }
    word = word.map { $0 - start }
    start = 0
    bytes += piece
  }

  /// Returns the next statement, or nil if it is not complete.
  ///
  /// If `isEnd` is true, no further piece follows, and the last statement needs no semicolon.
  mutating func next(isEnd: Bool = false) -> ScriptStatement? {
    while position < bytes.count {
      switch place {
      case .quoted(let end): skip(to: end)
      case .line: skip(to: UInt8(ascii: "\n"))
      case .block:
        guard skipBlock(isEnd) else { return nil }
      case .code:
        // A comment begins with two bytes.
        let byte = bytes[position]
        if position + 1 == bytes.count, !isEnd, Self.beginsComment(byte) { return nil }
        if let statement = scan(byte) { return statement }
      }
    }
    guard isEnd else { return nil }
    endWord()
    return take()
  }
}

extension ScriptStatements {
  private mutating func skip(to end: UInt8) {
    while position < bytes.count, bytes[position] != end { position += 1 }
    guard position < bytes.count else { return }
    place = .code
    position += 1
  }

  /// Advances to the end of the comment, or returns false if its last byte may be that of a delimiter.
  private mutating func skipBlock(_ isEnd: Bool) -> Bool {
    while position + 1 < bytes.count {
      if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
        place = .code
        position += 2
        return true
      }
      position += 1
    }
    guard isEnd else { return false }
    position = bytes.count
    return true
  }

  /// Scans a byte outside quotes and comments, and returns the statement that it ends.
  private mutating func scan(_ byte: UInt8) -> ScriptStatement? {
    if Self.isWord(byte) {
      if word == nil { word = position }
      position += 1
      return nil
    }
    endWord()
    let isBlank = byte == UInt8(ascii: " ") || (9...13).contains(byte)
    if isBlank {
      position += 1
      return nil
    }
    if Self.beginsComment(byte), position + 1 < bytes.count {
      let next = bytes[position + 1]
      if byte == UInt8(ascii: "-"), next == byte { return enter(.line) }
      if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") { return enter(.block) }
    }
    if byte == UInt8(ascii: ";") {
      position += 1
      return endsStatement() ? take() : nil
    }
    if first == nil { first = position }
    pass("")
    position += 1
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): place = .quoted(until: byte)
    case UInt8(ascii: "["): place = .quoted(until: UInt8(ascii: "]"))
    default: break
    }
    return nil
  }

  private mutating func enter(_ comment: Place) -> ScriptStatement? {
    place = comment
    position += 2
    return nil
  }

  /// Handles a semicolon, and returns whether it ends the statement.
  private mutating func endsStatement() -> Bool {
    switch stage {
    case .trigger, .triggerSemicolon:
      stage = .triggerSemicolon
      return false
    default: return true
    }
  }

  private mutating func endWord() {
    guard let start = word else { return }
    word = nil
    guard stage != .normal else { return }
    var bytes = bytes[start..<position]
    // SQLite treats a byte order mark as white space.
    if bytes.starts(with: Self.byteOrderMark) {
      bytes = bytes.dropFirst(3)
      // A mark at the beginning of a file takes no columns.
      if start == self.start { column -= 3 }
    }
    guard !bytes.isEmpty else { return }
    let text = bytes.count <= 16 ? String(decoding: bytes, as: UTF8.self).lowercased() : "?"
    if first == nil {
      first = bytes.startIndex
      keyword = text
    }
    pass(text)
  }

  /// Advances the stage by a word, or by a sign if the word is empty.
  private mutating func pass(_ word: String) {
    switch stage {
    case .start:
      stage = word == "create" ? .create : word == "explain" ? .explain : .normal
    case .explain:
      guard word != "query", word != "plan" else { return }
      stage = word == "create" ? .create : .normal
    case .create:
      guard word != "temp", word != "temporary" else { return }
      stage = word == "trigger" ? .trigger : .normal
    case .normal, .trigger: break
    case .triggerSemicolon: stage = word == "end" ? .triggerEnd : .trigger
    case .triggerEnd: stage = .trigger
    }
  }

  /// Returns the statement that ends before the position, or nil if it is empty.
  private mutating func take() -> ScriptStatement? {
    defer {
      (line, column) = place(of: position)
      start = position
      first = nil
      keyword = ""
      stage = .start
    }
    guard let first else { return nil }
    let hasSemicolon = position > first && bytes[position - 1] == UInt8(ascii: ";")
    let (line, column) = place(of: first)
    return ScriptStatement(
      bytes: bytes[first..<(hasSemicolon ? position - 1 : position)], line: line, column: column,
      keyword: keyword)
  }

  /// Returns the line and column of a byte after the previous statement.
  private func place(of position: Int) -> (line: Int, column: Int) {
    let newline = UInt8(ascii: "\n")
    let before = bytes[start..<position]
    guard let last = before.lastIndex(of: newline) else { return (line, column + before.count) }
    return (line + before.count { $0 == newline }, position - last)
  }

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private static func beginsComment(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/")
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}
