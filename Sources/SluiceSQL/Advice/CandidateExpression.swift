import Sluice

/// An expression that an index could be sorted by, without the names of tables.
///
/// Two expressions are equal if their tokens are, regardless of case, quotes, white space and comments.
struct CandidateExpression: Sendable {
  /// The text on one line, without comments and without parentheses around it.
  let sql: String
  private let tokens: [SQLToken]

  /// Creates an expression from tokens of `text`; nil if it would be a column or a literal.
  init?(_ tokens: ArraySlice<SQLToken>, of text: [UInt8]) {
    var tokens = tokens[...]
    while tokens.isInParentheses { tokens = tokens.dropFirst().dropLast() }
    let parts = tokens.withoutQualifiers
    guard parts.count > 1 else { return nil }
    self.tokens = parts.map(\.token)
    var sql: [UInt8] = []
    for (place, part) in parts.enumerated() {
      if place > 0, part.hasBlank, !part.token.is(sign: ")"), !part.token.is(sign: ","),
        !parts[place - 1].token.is(sign: "(")
      {
        sql.append(UInt8(ascii: " "))
      }
      sql += text[part.token.range]
    }
    self.sql = String(decoding: sql, as: UTF8.self)
  }

  /// Creates an expression from a term of an index, whose collation is known; nil if the term is a column.
  init?(term: String) {
    var tokens = SQLToken.tokens(of: term)[...]
    if tokens.dropLast().last?.is("collate") == true { tokens = tokens.dropLast(2) }
    self.init(tokens, of: Array(term.utf8))
  }

  /// The expression in parentheses, unless it is a function call.
  var operand: String {
    let isCall = tokens.first?.isName == true && tokens.dropFirst()[...].isInParentheses
    return isCall ? sql : "(\(sql))"
  }

  /// The names, numbers and texts in the expression, joined by underscores.
  var name: String {
    let words = tokens.filter { $0.kind != .sign && $0.kind != .blob }.flatMap { token in
      token.name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
    return words.prefix(Self.maximumWords).joined(separator: "_")
  }

  /// The maximum number of words in the name.
  private static let maximumWords = 6
}

extension CandidateExpression: Hashable {
  static func == (first: CandidateExpression, second: CandidateExpression) -> Bool {
    first.tokens == second.tokens
  }

  func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
}

extension ArraySlice<SQLToken> {
  /// Whether the first token is a parenthesis that the last one closes.
  fileprivate var isInParentheses: Bool {
    guard count > 1, first?.is(sign: "(") == true else { return false }
    // All tokens between both parentheses are inside them.
    return outerIndexes.elementsEqual([startIndex, endIndex - 1])
  }

  /// The tokens without the names of databases and tables, and whether white space or a comment precedes each.
  fileprivate var withoutQualifiers: [(token: SQLToken, hasBlank: Bool)] {
    var parts: [(token: SQLToken, hasBlank: Bool)] = []
    var end = first?.range.lowerBound ?? 0
    var qualified: Bool?
    for (token, next) in zip(self, map(Optional.some).dropFirst() + [nil]) {
      let hasBlank = qualified ?? (token.range.lowerBound > end)
      end = token.range.upperBound
      let isDot = token.is(sign: ".")
      if isDot || (token.isName && next?.is(sign: ".") == true) {
        qualified = hasBlank
      } else {
        parts.append((token, hasBlank))
        qualified = nil
      }
    }
    return parts
  }
}
