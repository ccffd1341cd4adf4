import Sluice

/// The tables and subqueries in a FROM clause, also those in parentheses.
struct FromText {
  /// A table or a subquery, with its alias.
  struct Source {
    /// The name by which columns refer to it.
    let name: SQLToken
    /// The range of its text, in bytes of the file.
    let range: Range<Int>
    /// Whether an outer join can produce rows without a row of this source.
    var canBeMissing: Bool
    /// Whether a RIGHT or FULL JOIN follows, which can produce rows without all tables before it.
    var isBeforeRightJoin = false
  }

  private(set) var sources: [Source] = []
  private var hasNaturalJoin = false
  /// The columns in USING clauses.
  private var commonColumns: Set<[UInt8]> = []

  /// Reads the tokens after FROM.
  init(_ tokens: ArraySlice<SQLToken>) {
    var rest = tokens
    // Whether a table or subquery can begin at the current token.
    var isBeginning = true
    var isLeft = false
    // For each open parenthesis around a join, whether all of its tables can be missing.
    var groups = [false]
    while let token = rest.first {
      if isBeginning, var source = Self.source(&rest) {
        source.canBeMissing = isLeft || groups.last == true
        sources.append(source)
        (isBeginning, isLeft) = (false, false)
        continue
      }
      rest = rest.dropFirst()
      if token.is("join") {
        let kind = Self.kind(of: tokens[..<(rest.startIndex - 1)])
        isLeft = kind.contains { $0.is("left") || $0.is("full") }
        if kind.contains(where: { $0.is("right") || $0.is("full") }) { beginRightJoin() }
        hasNaturalJoin = hasNaturalJoin || kind.contains { $0.is("natural") }
      }
      if token.is(sign: "(") {
        if isBeginning {
          groups.append(isLeft || groups.last == true)
          isLeft = false
        } else {
          let inside = rest
          Self.skip(&rest)
          if tokens[..<(inside.startIndex - 1)].last?.is("using") == true {
            commonColumns.formUnion(inside.prefix(inside.count - rest.count).map(\.content))
          }
        }
      }
      if token.is(sign: ")") { groups.removeLast(min(1, groups.count)) }
      isBeginning =
        token.is(sign: ",") || token.is("join") || (isBeginning && token.is(sign: "("))
    }
  }

  /// Notes that the tables so far are on the left of a RIGHT or FULL JOIN.
  private mutating func beginRightJoin() {
    for index in sources.indices {
      sources[index].canBeMissing = true
      sources[index].isBeforeRightJoin = true
    }
  }

  /// Returns whether the star of a table can read a column of another table, which a join has in common with this one.
  ///
  /// If a RIGHT or FULL JOIN follows, SQLite reads a common column from whichever row exists.
  func mayShare(_ column: String, of source: Source) -> Bool {
    source.isBeforeRightJoin && (hasNaturalJoin || commonColumns.contains(column.nameContent))
  }

  /// Returns the words before JOIN, such as `NATURAL LEFT OUTER`.
  private static func kind(of tokens: ArraySlice<SQLToken>) -> [SQLToken] {
    let words: [StaticString] = ["natural", "left", "right", "full", "outer", "inner", "cross"]
    var kind: [SQLToken] = []
    for token in tokens.reversed() {
      // After a dot, the word is the name of a column.
      guard !token.is(sign: ".") else { return Array(kind.dropLast()) }
      guard words.contains(where: { token.is($0) }) else { break }
      kind.append(token)
    }
    return kind
  }

  /// Removes the tokens up to the parenthesis that closes an open one.
  private static func skip(_ rest: inout ArraySlice<SQLToken>) {
    var depth = 1
    while depth > 0, let token = rest.popFirst() {
      depth += token.is(sign: "(") ? 1 : token.is(sign: ")") ? -1 : 0
    }
  }

  /// Removes and returns the table or subquery at the beginning; nil if it is a join in parentheses.
  private static func source(_ rest: inout ArraySlice<SQLToken>) -> Source? {
    guard let first = rest.first else { return nil }
    var after = rest.dropFirst()
    var name = first
    var end = first.range.upperBound
    if first.is(sign: "(") {
      let isSubquery =
        after.first.map { $0.is("select") || $0.is("with") || $0.is("values") } == true
      let inside = after
      skip(&after)
      end = inside.prefix(inside.count - after.count).last?.range.upperBound ?? end
      // A join in parentheses hides its tables only if it has an alias.
      guard isSubquery || alias(after) != nil else { return nil }
    } else {
      guard first.isName else { return nil }
      if after.first?.is(sign: ".") == true, let table = after.dropFirst().first {
        (name, end) = (table, table.range.upperBound)
        after = after.dropFirst(2)
      }
      if after.first?.is(sign: "(") == true {
        // The arguments of a table-valued function.
        let inside = after.dropFirst()
        after = inside
        skip(&after)
        end = inside.prefix(inside.count - after.count).last?.range.upperBound ?? end
      }
    }
    if let alias = alias(after) {
      (name, end) = (alias, alias.range.upperBound)
      after = after.drop { $0.range.upperBound <= end }
    }
    rest = after
    return Source(name: name, range: first.range.lowerBound..<end, canBeMissing: false)
  }

  /// Returns the alias at the beginning of the tokens after a table or subquery.
  private static func alias(_ tokens: ArraySlice<SQLToken>) -> SQLToken? {
    guard let first = tokens.first else { return nil }
    if first.is("as") { return tokens.dropFirst().first }
    let words: [StaticString] = [
      "on", "using", "join", "natural", "left", "right", "full", "inner", "outer", "cross",
      "indexed", "not",
    ]
    return first.isName && !words.contains { first.is($0) } ? first : nil
  }
}
