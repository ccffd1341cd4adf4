import Sluice

/// The expressions of an index, as a query that computes them from the table.
struct IndexExpressions {
  let root: DatabaseLayout.Root
  /// The positions of the expressions among the columns of the index.
  let places: [Int]
  /// A query whose result columns are the expressions.
  let select: String

  /// Returns the expressions of all indexes that have any.
  static func all(
    in databases: [(Int, String)], _ connection: Connection
  ) throws -> [IndexExpressions] {
    try databases.flatMap { number, database in
      let indexes = try connection.query(
        .columns(.string, .string, .int, .string),
        sql: """
          SELECT name, tbl_name, rootpage, sql FROM \(database.quotedName).sqlite_schema
          WHERE type = 'index' AND sql IS NOT NULL
          """)
      return try indexes.compactMap { name, table, page, sql -> IndexExpressions? in
        // The number of an expression is -2.
        let places = try connection.query(
          .column(.int),
          sql: "SELECT seqno FROM pragma_index_xinfo(?, ?) WHERE cid = -2 ORDER BY seqno",
          parameters: name, database)
        let terms = terms(of: sql)
        guard !places.isEmpty, places.allSatisfy(terms.indices.contains) else { return nil }
        let results = places.map { terms[$0] }.joined(separator: ", ")
        return IndexExpressions(
          root: DatabaseLayout.Root(database: number, page: page), places: places,
          select: "SELECT \(results) FROM \(database.quotedName).\(table.quotedName) NOT INDEXED")
      }
    }
  }

  /// Returns the terms in a `CREATE INDEX` statement, without `ASC` and `DESC`.
  static func terms(of sql: String) -> [String] {
    let tokens = SQLToken.tokens(of: sql)
    guard let on = tokens.firstIndex(where: { $0.is("on") }) else { return [] }
    var terms: [ArraySlice<SQLToken>] = []
    var depth = 0
    for index in tokens.indices[on...] {
      let token = tokens[index]
      if token.is(sign: ")") { depth -= 1 }
      if depth == 1, token.is(sign: ",") {
        terms.append([])
      } else if depth > 0, let last = terms.indices.last {
        terms[last] = tokens[(terms[last].first == nil ? index : terms[last].startIndex)...index]
      }
      if token.is(sign: "(") {
        depth += 1
        if depth == 1 { terms.append([]) }
      }
      if depth == 0, !terms.isEmpty { break }
    }
    return terms.map { term in
      var term = term
      if let last = term.last, last.is("asc") || last.is("desc") { term.removeLast() }
      guard let first = term.first, let last = term.last else { return "" }
      let start = first.range.lowerBound
      return String(
        Substring(sql.utf8.dropFirst(start).prefix(last.range.upperBound - start)))
    }
  }
}

extension AbstractValue {
  /// The value as an index stores it, which may convert a real to an integer.
  var inIndex: AbstractValue {
    var value = stripped
    if possible.contains(.real) { value.possible.insert(.integer) }
    return value
  }
}
