extension QueryPlan {
  /// The steps that look at each row of a table, or at each entry of an index.
  ///
  /// ```swift
  /// let plan = try connection.queryPlan(sql: "SELECT * FROM person WHERE name = ?")
  /// for step in plan.fullScans { print("Slow once the table is large:", step.detail) }
  /// ```
  ///
  /// What a statement computes on its way, such as a view or a common table expression, does not count, unless
  /// it has another name where it is read; nor does a virtual table, whose module knows what it does. A `LIMIT`
  /// can end a scan early, of which a plan tells nothing.
  ///
  /// It goes by the words of the plan, as there is nothing else to go by.
  public var fullScans: [Node] {
    let all = nodes.flatMap(\.withDescendants)
    let computed = Set(all.compactMap(\.nameOfComputed))
    return all.filter { node in node.scanned.map { !computed.contains($0) } ?? false }
  }
}

extension QueryPlan.Node {
  fileprivate var withDescendants: [Self] { [self] + children.flatMap(\.withDescendants) }

  /// The name of what this step computes, to be read by others.
  fileprivate var nameOfComputed: String? {
    ["CO-ROUTINE ", "MATERIALIZE "].lazy.compactMap { rest(behind: $0) }.first
  }

  /// The name of the table that this step reads from one end to the other.
  fileprivate var scanned: String? {
    guard var name = rest(behind: "SCAN "), !name.hasSuffix("CONSTANT ROW"),
      !name.hasSuffix("CONSTANT ROWS"), !name.hasSuffix("-ROW VALUES CLAUSE"), !name.hasPrefix("("),
      !name.hasPrefix("SUBQUERY "),
      !name.contains(" VIRTUAL TABLE INDEX ")
    else { return nil }
    for behind in [" USING ", " LEFT-JOIN"] {
      if let range = name.firstRange(of: behind) { name = String(name[..<range.lowerBound]) }
    }
    return name
  }

  private func rest(behind prefix: String) -> String? {
    detail.hasPrefix(prefix) ? String(detail.dropFirst(prefix.count)) : nil
  }
}
