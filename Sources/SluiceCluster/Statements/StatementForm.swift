import Sluice

extension ClusterStatement {
  /// The parts of a statement from which other statements with the same columns are made.
  ///
  /// All positions are offsets into the statement's text, in bytes.
  enum Form: Hashable, Sendable {
    /// The statement has no columns.
    case none
    /// An EXPLAIN or a PRAGMA, which can run to return the names of its columns.
    case itself
    /// A PRAGMA with these columns.
    case fixed(names: [String])
    /// A query that begins with SELECT, after its common table expressions.
    case select(limit: Int?, isOrdered: Bool)
    /// A query that begins with VALUES, after its common table expressions.
    case values(isOrdered: Bool)
    /// A statement that begins with INSERT, REPLACE, UPDATE or DELETE at `verb`.
    ///
    /// `list` is the range of its result columns, which ORDER BY and LIMIT can follow.
    case returning(verb: Int, list: Range<Int>, source: String, items: [ReturnedItem])
  }

  /// A result column of a RETURNING clause.
  enum ReturnedItem: Hashable, Sendable {
    /// `*`
    case star
    /// A column, or an expression in parentheses, which can have a declared type.
    case column(Range<Int>)
    /// Any other expression, with its alias, and with comments, which can be a part of the column's name.
    case expression(Range<Int>)
  }
}

extension ClusterStatement.Form {
  /// Whether the statement's columns were given names by another statement.
  var hasColumns: Bool {
    switch self {
    case .select, .values, .returning: true
    case .none, .itself, .fixed: false
    }
  }

  init(_ text: StatementText, _ found: StatementReader.Result) throws {
    let tokens = text.tokens[...]
    let isPlain = found.kind != .local && found.kind != .write
    guard isPlain, let first = tokens.first else {
      self = .none
      return
    }
    if let names = found.names {
      self = .fixed(names: names)
      return
    }
    let verb = first.is("with") ? StatementReader.verb(afterWith: tokens.dropFirst()) : 0
    guard let verb, !first.is("explain"), !first.is("pragma") else {
      self = .itself
      return
    }
    let rest = tokens[verb...]
    let outer = rest.outerIndexes
    let limit = outer.last { tokens[$0].is("limit") }
    let isOrdered = limit == nil && outer.contains { tokens[$0].is("order") }
    if found.kind == .returning {
      self = try Self.returning(text, verb, outer)
    } else if tokens[verb].is("values") {
      self = .values(isOrdered: isOrdered)
    } else {
      try SelectedColumns(text, after: verb, outer).checkSize(text)
      self = .select(limit: limit.map { text.offset(of: tokens[$0]) }, isOrdered: isOrdered)
    }
  }

  private static func returning(
    _ text: StatementText, _ verb: Int, _ outer: [Int]
  ) throws -> ClusterStatement.Form {
    let tokens = text.tokens
    guard let returning = outer.last(where: { tokens[$0].is("returning") }) else { return .none }
    let columns = SelectedColumns(text, after: returning, outer)
    try columns.checkSize(text)
    return .returning(
      verb: text.offset(of: tokens[verb]),
      list: text.relative(tokens[returning].range.upperBound..<columns.end),
      source: source(text, tokens[verb..<returning], list: tokens[(returning + 1)...]),
      items: columns.items.map { $0.returned(text) })
  }

  /// Returns the table that a statement writes, with its alias.
  private static func source(
    _ text: StatementText, _ tokens: ArraySlice<SQLToken>, list: ArraySlice<SQLToken>
  ) -> String {
    var rest = tokens.dropFirst()
    if rest.first?.is("or") == true { rest = rest.dropFirst(2) }
    if rest.first?.is("into") == true || rest.first?.is("from") == true { rest = rest.dropFirst() }
    guard let first = rest.popFirst() else { return "" }
    // A common table expression could hide the name without the name of the database.
    var source = "main." + text[first.range]
    if rest.first?.is(sign: ".") == true, let second = rest.dropFirst().first {
      source = text[first.range] + "." + text[second.range]
      rest = rest.dropFirst(2)
    }
    // Some versions of SQLite accept only the alias in RETURNING, and others only the name of the table.
    guard rest.first?.is("as") == true, let alias = rest.dropFirst().first,
      zip(list, list.dropFirst()).contains(where: {
        $0.isName && $0.name.withoutCase == alias.name.withoutCase && $1.is(sign: ".")
      })
    else { return source }
    return "\(source) AS \(text[alias.range])"
  }
}

/// The columns of a SELECT or a RETURNING clause, as they are written.
private struct SelectedColumns {
  struct Item {
    let tokens: ArraySlice<SQLToken>
    /// The position of the comma after the item, or the end of the columns.
    let end: Int
  }

  private(set) var items: [Item] = []
  /// The position of the clause after the columns, or the end of the statement.
  let end: Int

  /// Reads the columns after the token at `start`, which is SELECT or RETURNING.
  init(_ text: StatementText, after start: Int, _ outer: [Int]) {
    let tokens = text.tokens
    let rest = outer.filter { $0 > start }
    let end = rest.first { Self.isEnd(tokens[$0], after: tokens[$0 - 1]) } ?? tokens.count
    var begin = start + 1
    if begin < end, tokens[begin].is("distinct") || tokens[begin].is("all") { begin += 1 }
    for index in rest where index >= begin && index < end && tokens[index].is(sign: ",") {
      items.append(Item(tokens: tokens[begin..<index], end: tokens[index].range.lowerBound))
      begin = index + 1
    }
    self.end = tokens[end...].first?.range.lowerBound ?? text.range.upperBound
    items.append(Item(tokens: tokens[min(begin, end)..<end], end: self.end))
  }

  private static func isEnd(_ token: SQLToken, after previous: SQLToken) -> Bool {
    // In `IS DISTINCT FROM`, the FROM is part of a comparison.
    if token.is("from") { return !previous.is("distinct") }
    let words: [StaticString] = [
      "where", "group", "having", "order", "limit", "union", "except", "intersect",
    ]
    return words.contains { token.is($0) }
  }

  /// Throws if the columns without an alias have names that do not fit in an answer.
  func checkSize(_ text: StatementText) throws {
    let size = items.reduce(0) { $0 + ($1.hasAlias ? 0 : $1.range?.count ?? 0) }
    guard size > ClusterStatement.maximumSizeOfNames else { return }
    let longest = items.filter { !$0.hasAlias }.max {
      ($0.range?.count ?? 0) < ($1.range?.count ?? 0)
    }
    throw text.error(
      .tooBig,
      "The text of the columns is their name, and has \(size) bytes, but a node supports"
        + " \(ClusterStatement.maximumSizeOfNames): give this column a name with AS",
      at: longest?.tokens.first)
  }
}

extension SelectedColumns.Item {
  /// The range of the text among the bytes of the statement.
  var range: Range<Int>? {
    guard let first = tokens.first, let last = tokens.last else { return nil }
    return first.range.lowerBound..<last.range.upperBound
  }

  /// Whether the last token is a name for the column, as far as that matters for long expressions.
  var hasAlias: Bool {
    guard let last = tokens.last, last.isName, let before = tokens.dropLast().last else {
      return false
    }
    return before.is("as") || before.is(sign: ")")
  }

  /// Returns the item of a RETURNING clause.
  func returned(_ text: StatementText) -> ClusterStatement.ReturnedItem {
    guard let start = range?.lowerBound else { return .expression(0..<0) }
    if tokens.count == 1, tokens.first?.is(sign: "*") == true { return .star }
    let column = columnTokens
    let rest = tokens[column.endIndex...]
    let hasAs = rest.first?.is("as") == true
    let isTest = rest.first.map { $0.is("isnull") || $0.is("notnull") } == true
    let isNamed = rest.count == (hasAs ? 2 : 1) && rest.last?.isName == true && !isTest
    guard let last = column.last, rest.isEmpty || isNamed else {
      return .expression(text.relative(start..<end))
    }
    return .column(text.relative(start..<last.range.upperBound))
  }

  /// The tokens of the column or the expression in parentheses with which the item begins.
  private var columnTokens: ArraySlice<SQLToken> {
    guard let first = tokens.first else { return tokens }
    if first.is(sign: "(") {
      let end = tokens.outerIndexes.first { tokens[$0].is(sign: ")") }
      return tokens[...(end ?? tokens.startIndex)]
    }
    // An alias can follow any other word.
    guard first.isName, !first.is("not") else { return tokens.prefix(0) }
    var end = tokens.startIndex + 1
    while end + 1 < tokens.endIndex, tokens[end].is(sign: "."), tokens[end + 1].isName { end += 2 }
    return tokens[..<end]
  }
}
