/// The parameters of a statement that can pass an object to an SQL function.
///
/// SQLite preserves an object only on its way from a parameter to a function argument. Anywhere else, the
/// object becomes NULL.
struct ObjectPlaces {
  private var numbers: Set<Int> = []
  /// Whether the number of a parameter could not be determined; if so, all parameters are allowed.
  private var hasUnknown = false

  func contains(_ number: Int) -> Bool { hasUnknown || numbers.contains(number) }

  /// The kind of content between a pair of parentheses.
  private enum Group {
    case arguments
    /// The result columns of a subquery, whose values a function outside the subquery can receive as arguments.
    case results
    case other
  }

  /// Finds the parameters in `sql` that can pass an object; `names` are the names that SQLite reports, in
  /// order.
  init(in sql: String, names: [String?]) {
    let tokens = SQLToken.tokens(of: sql)
    var groups: [Group] = []
    var last = 0
    for (index, token) in tokens.enumerated() {
      let next = tokens.indices.contains(index + 1) ? tokens[index + 1] : nil
      if token.is(sign: "(") {
        let isCall = index > 0 && tokens[index - 1].canNameFunction
        let isQuery = next?.is("select") == true || next?.is("values") == true
        groups.append(isCall ? .arguments : isQuery ? .results : .other)
      } else if token.is(sign: ")") {
        _ = groups.popLast()
      } else if groups.last == .results, token.is("from") || token.is("where") {
        groups[groups.count - 1] = .other
      } else if let written = token.parameter(before: next) {
        let number: Int?
        switch written {
        case .next: number = last + 1
        case .number(let given): number = given
        case .name(let range):
          let name = sql.utf8.dropFirst(range.lowerBound).prefix(range.count)
          number = names.firstIndex { $0?.utf8.elementsEqual(name) == true }.map { $0 + 1 }
        }
        guard let number else {
          hasUnknown = true
          continue
        }
        last = max(last, number)
        if groups.contains(where: { $0 != .other }) { numbers.insert(number) }
      }
    }
  }
}

/// The form in which a parameter is written.
private enum WrittenParameter {
  /// `?`
  case next
  /// `?5`
  case number(Int?)
  /// `:name`
  case name(Range<Int>)
}

extension SQLToken {
  /// Returns the parameter that begins with this sign, or nil if none does.
  fileprivate func parameter(before next: SQLToken?) -> WrittenParameter? {
    let next = next.flatMap { $0.range.lowerBound == range.upperBound ? $0 : nil }
    if self.is(sign: "?") {
      guard let next, next.kind == .number else { return .next }
      return .number(Int(String(decoding: next.content, as: UTF8.self)))
    }
    guard self.is(sign: ":") || self.is(sign: "@") || self.is(sign: "$") else { return nil }
    return .name(range.lowerBound..<(next?.range.upperBound ?? range.upperBound))
  }

  /// Whether parentheses after this token can enclose function arguments.
  fileprivate var canNameFunction: Bool {
    switch kind {
    case .name: true
    case .word: !Self.wordsBeforeParentheses.contains(String(decoding: content, as: UTF8.self))
    case .string, .blob, .number, .parameter, .sign: false
    }
  }

  private static let wordsBeforeParentheses: Set<String> = [
    "all", "and", "as", "between", "by", "case", "cast", "collate", "conflict", "distinct", "else",
    "escape", "except", "exists", "filter", "from", "glob", "having", "in", "intersect", "is",
    "isnull",
    "join", "like", "limit", "match", "materialized", "not", "notnull", "offset", "on", "or",
    "over",
    "regexp", "returning", "select", "set", "then", "union", "using", "values", "when", "where",
  ]
}
