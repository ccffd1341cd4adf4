import Sluice

/// The result of a query as written: the columns of its outermost SELECT or RETURNING clause, and where they come from.
struct ResultText {
  /// A column of the result, or a star that stands for several columns.
  struct Item {
    let tokens: ArraySlice<SQLToken>

    /// The range of the text in the file.
    var range: Range<Int>? {
      guard let first = tokens.first, let last = tokens.last else { return nil }
      return first.range.lowerBound..<last.range.upperBound
    }

    var isStar: Bool { tokens.last?.is(sign: "*") == true && (tokens.count == 1 || table != nil) }

    /// The name of the table in `book.title`, `main.book.title AS name` or `book.*`; nil for any other text.
    var table: SQLToken? {
      let parts = Array(tokens.prefix(6))
      func isDot(_ index: Int) -> Bool {
        parts.indices.contains(index) && parts[index].is(sign: ".")
      }
      guard parts.count > 2, parts[0].isName, isDot(1) else { return nil }
      let isQualified = isDot(3)
      let place = isQualified ? 2 : 0
      guard parts.count > place + 2, parts[place].isName else { return nil }
      let rest = tokens.dropFirst(place + 3)
      let isOperator = rest.first.map { $0.is("isnull") || $0.is("notnull") } == true
      let alias = rest.first?.is("as") == true ? rest.dropFirst() : rest
      guard !isOperator, alias.count <= 1, alias.first?.isName != false else { return nil }
      return parts[place]
    }
  }

  /// The columns of the result.
  let items: [Item]
  /// Whether the clause is RETURNING, whose rows are never missing.
  let isReturning: Bool
  /// The tables and subqueries in FROM.
  let sources: FromText
  /// Whether the query has a limit.
  let hasLimit: Bool
  /// Whether the query combines several SELECTs.
  let isCompound: Bool
  /// The end of the first SELECT, or of the whole statement if it is not compound, in bytes of the file.
  let end: Int
  /// The offset of the word SELECT; a WITH clause may stand before it.
  let start: Int

  init?(_ tokens: [SQLToken]) {
    let outer = tokens.outerIndexes
    let returning = outer.first { tokens[$0].is("returning") }
    guard let start = returning ?? outer.first(where: { tokens[$0].is("select") }),
      let last = tokens.last
    else { return nil }
    let rest = outer.filter { $0 > start }
    let end = rest.first { Self.endsColumns($0, tokens) } ?? tokens.count
    var items: [Item] = []
    var begin = start + 1
    if begin < end, tokens[begin].is("distinct") || tokens[begin].is("all") { begin += 1 }
    for index in rest where index > begin && index < end && tokens[index].is(sign: ",") {
      items.append(Item(tokens: tokens[begin..<index]))
      begin = index + 1
    }
    items.append(Item(tokens: tokens[min(begin, end)..<end]))
    let compound = rest.first { index in Self.operators.contains { tokens[index].is($0) } }
    let from = returning == nil && end < tokens.count && tokens[end].is("from") ? end + 1 : nil
    let fromEnd =
      rest.first { $0 > end && Self.endsClause($0, tokens) } ?? tokens.count
    self.items = items
    isReturning = returning != nil
    hasLimit = rest.contains { $0 >= end && tokens[$0].is("limit") }
    sources = FromText(from.map { tokens[$0..<max($0, fromEnd)] } ?? [])
    isCompound = returning == nil && compound != nil
    let stop = isCompound ? compound.map { tokens[$0 - 1] } ?? last : last
    self.end = stop.range.upperBound
    self.start = tokens[start].range.lowerBound
  }

  private static let operators: [StaticString] = ["union", "except", "intersect"]
  private static let clauses: [StaticString] = [
    "where", "group", "having", "order", "limit",
  ]

  /// Returns whether a token ends the columns, or a clause before it.
  private static func endsColumns(_ index: Int, _ tokens: [SQLToken]) -> Bool {
    // In `IS DISTINCT FROM`, the FROM is part of a comparison.
    if tokens[index].is("from") { return !tokens[index - 1].is("distinct") }
    return endsClause(index, tokens)
  }

  /// Returns whether a token begins a clause after FROM, or another SELECT.
  private static func endsClause(_ index: Int, _ tokens: [SQLToken]) -> Bool {
    // WINDOW can also be a name; as a keyword, it begins `WINDOW name AS (`.
    if tokens[index].is("window") {
      return tokens[index...].dropFirst(2).first?.is("as") == true
        && tokens[index...].dropFirst(3).first?.is(sign: "(") == true
    }
    return (clauses + operators).contains { tokens[index].is($0) }
  }
}
