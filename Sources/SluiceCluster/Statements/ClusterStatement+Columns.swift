import Sluice

/// Statements with the same columns
extension ClusterStatement {
  /// SQL that returns no rows, or only a few, but has columns with the same names; nil for a statement without
  /// columns.
  ///
  /// It can run without values for its parameters.
  package var names: String? {
    switch form {
    case .none: nil
    case .itself: text
    case .fixed(let names):
      "SELECT \(names.map { "NULL AS \($0.quotedName)" }.joined(separator: ", ")) LIMIT 0"
    case .select(let limit, _):
      limit.map { self[0..<$0] + "LIMIT 0" } ?? text + "\nLIMIT 0"
    case .values: "SELECT * FROM (\(text)\n) LIMIT 0"
    case .returning(let verb, let list, let source, _):
      self[0..<verb] + "SELECT" + self[list]
        + "\nFROM \(source) LIMIT 0"
    }
  }

  /// Returns SQL that returns the same rows, but columns without declared types.
  ///
  /// A node converts the values of columns whose declared type is BOOLEAN, DATE, DATETIME or TIMESTAMP, and dies if it
  /// cannot. `names` are the names of the columns, as a node returns them for ``names``.
  package func typed(names: [String]) -> String {
    switch form {
    case .none, .itself, .fixed: text
    case .select(_, let isOrdered), .values(let isOrdered): untyped(names, isOrdered)
    case .returning(_, let list, _, let items):
      self[0..<list.lowerBound] + " " + untyped(items, names).joined(separator: ", ")
        + "\n" + self[list.upperBound..<text.utf8.count]
    }
  }

  /// Returns the query as a common table expression, whose columns can be renamed even if their names are equal.
  private func untyped(_ names: [String], _ isOrdered: Bool) -> String {
    let columns = names.indices.map { "c\($0)" }
    let results = zip(columns, names).map { "+\($0) AS \($1.quotedName)" }
    // SQLite keeps the order of a subquery that has a LIMIT.
    return "WITH sluice_typed(\(columns.joined(separator: ", "))) AS (\(text)"
      + (isOrdered ? "\nLIMIT -1" : "")
      + "\n) SELECT \(results.joined(separator: ", ")) FROM sluice_typed"
  }

  private func untyped(_ items: [ReturnedItem], _ names: [String]) -> [String] {
    let stars = items.count { $0 == .star }
    let width = stars == 0 ? 0 : max(0, names.count - items.count + stars) / stars
    var rest = names[...]
    return items.flatMap { item -> [String] in
      switch item {
      case .star:
        let columns = rest.prefix(width)
        rest = rest.dropFirst(width)
        return columns.map { "+\($0.quotedName) AS \($0.quotedName)" }
      case .column(let range):
        let name = rest.popFirst() ?? ""
        return ["+\(self[range]) AS \(name.quotedName)"]
      case .expression(let range):
        rest = rest.dropFirst()
        return [self[range]]
      }
    }
  }

  private subscript(range: Range<Int>) -> String {
    String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }
}
