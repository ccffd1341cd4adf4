import Sluice

/// The text of one statement of a script, with its tokens.
struct StatementText {
  /// The script that contains the statement.
  let sql: String
  /// The bytes that the ranges of the tokens refer to.
  let bytes: [UInt8]
  /// The position of the first of these bytes in the script.
  private let start: Int
  /// The range of the statement, from its first token to its end, without the semicolon.
  let range: Range<Int>
  let tokens: [SQLToken]
  /// The position in the script at which the next statement may begin.
  let end: Int

  /// Finds the statement at a position of a script.
  ///
  /// - Returns: The statement, or nil if only white space, comments and semicolons are left.
  static func next(in sql: String, from start: Int) -> StatementText? {
    let rest = sql.utf8.dropFirst(start)
    // A long script is not copied for each of its statements.
    var size = 4_096
    while true {
      let bytes = Array(rest.prefix(size))
      if let found = StatementText(sql, start, bytes, isWhole: bytes.count == rest.count) {
        return found
      }
      guard bytes.count < rest.count else { return nil }
      size *= 4
    }
  }

  private init?(_ sql: String, _ start: Int, _ bytes: [UInt8], isWhole: Bool) {
    var scanner = SQLScanner(bytes[...], readsParameters: true)
    var tokens: [SQLToken] = []
    var semicolon: SQLToken?
    while semicolon == nil, let token = scanner.next() {
      guard token.is(sign: ";") else {
        tokens.append(token)
        continue
      }
      if tokens.isEmpty { continue }
      if SQLToken.isStatement(tokens[...]) {
        semicolon = token
      } else {
        tokens.append(token)
      }
    }
    guard let first = tokens.first, semicolon != nil || isWhole else { return nil }
    let upper = semicolon?.range.lowerBound ?? bytes.count
    // A comment at the end belongs to the statement, because it can be a part of a column's name.
    let blanks = bytes[first.range.lowerBound..<upper].reversed().prefix(while: isSpace)
    self.sql = sql
    self.bytes = bytes
    self.start = start
    range = first.range.lowerBound..<max(upper - blanks.count, tokens.last?.range.upperBound ?? 0)
    self.tokens = tokens
    end = start + (semicolon?.range.upperBound ?? bytes.count)
  }

  subscript(range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Returns the offset of a token in the statement.
  func offset(of token: SQLToken) -> Int { token.range.lowerBound - range.lowerBound }

  func relative(_ range: Range<Int>) -> Range<Int> {
    range.lowerBound - self.range.lowerBound..<range.upperBound - self.range.lowerBound
  }

  /// Returns the statement with other SQL in some ranges, which must be in order.
  func replacing(_ replacements: [(range: Range<Int>, sql: String)]) -> StatementText {
    guard !replacements.isEmpty else { return self }
    var result = ""
    var position = range.lowerBound
    for (replaced, sql) in replacements {
      result += self[position..<replaced.lowerBound] + sql
      position = replaced.upperBound
    }
    return StatementText(whole: result + self[position..<range.upperBound])
  }

  /// The statement with an end of the comment that SQLite permits to be open, because other SQL will follow it.
  ///
  /// A comment of one line is left as it is, because a new line will follow it.
  var withoutOpenComment: StatementText {
    let text = self[range]
    let end = text.endOfComment
    return end.isEmpty || end == "\n" ? self : StatementText(whole: text + end)
  }

  /// Creates a statement from its text.
  private init(whole text: String) {
    sql = text
    bytes = Array(text.utf8)
    start = 0
    range = 0..<bytes.count
    tokens = Array(IteratorSequence(SQLScanner(bytes[...], readsParameters: true)))
    end = bytes.count
  }

  /// Returns an error that refers to a place of the statement.
  func error(_ code: ResultCode, _ message: String, at token: SQLToken? = nil) -> SQLiteError {
    let place = token?.range.lowerBound ?? range.lowerBound
    return SQLiteError(code, message, sql: sql, offset: start + place)
  }
}
