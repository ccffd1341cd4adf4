/// The strategy that SQLite chooses to find the data of a statement.
///
/// ```swift
/// print(try connection.queryPlan(sql: "SELECT * FROM person JOIN city ON city.id = person.city"))
/// ```
///
/// ```text
/// QUERY PLAN
/// |--SCAN person
/// `--SEARCH city USING INTEGER PRIMARY KEY (rowid=?)
/// ```
///
/// A plan is intended for developers: its wording changes from one version of SQLite to the next.
public struct QueryPlan: Hashable, Sendable {
  /// A step of a plan.
  public struct Node: Hashable, Sendable, Identifiable {
    /// The number of the step, which is unique within its statement or trigger.
    public let id: Int
    /// The operation, such as `SCAN person`.
    public let detail: String
    /// The steps that this step consists of.
    public let children: [Node]
  }

  /// The outermost steps in order; empty if the statement searches for no data.
  ///
  /// The steps of a trigger are the children of a node such as `-- TRIGGER name`. Such nodes exist only if the
  /// connection is set to explain triggers.
  public let nodes: [Node]

  /// Creates a tree from rows, each of which comes after the row of its parent.
  init(_ rows: [(id: Int, parent: Int, detail: String)]) {
    var triggers: [Node] = []
    var children: [Int: [Node]] = [:]
    // Reverse order visits the children of a step before the step. The numbers restart after each trigger name.
    for row in rows.reversed() {
      let isTrigger = row.detail.isNameOfTrigger
      let own = children.removeValue(forKey: isTrigger ? 0 : row.id) ?? []
      let node = Node(id: row.id, detail: row.detail, children: own.reversed())
      if isTrigger {
        triggers.append(node)
      } else {
        children[row.parent, default: []].append(node)
      }
    }
    nodes = (children[0] ?? []).reversed() + triggers.reversed()
  }
}

extension QueryPlan: CustomStringConvertible {
  /// The tree as SQLite's command-line tool draws it; empty if there are no steps.
  public var description: String {
    let triggers = nodes.filter(\.detail.isNameOfTrigger)
    let steps = Self.lines(of: nodes.filter { !$0.detail.isNameOfTrigger })
    let trees =
      (steps.isEmpty ? [] : [["QUERY PLAN"] + steps])
      + triggers.map { [String($0.detail.dropFirst(3))] + Self.lines(of: $0.children) }
    return trees.joined().joined(separator: "\n")
  }

  private static func lines(of nodes: [Node]) -> [String] {
    nodes.enumerated().flatMap { index, node in
      let isLast = index == nodes.count - 1
      return [(isLast ? "`--" : "|--") + node.detail]
        + lines(of: node.children).map { (isLast ? "   " : "|  ") + $0 }
    }
  }
}

extension String {
  /// Whether this text is the heading of a trigger's plan.
  fileprivate var isNameOfTrigger: Bool { utf8.starts(with: "-- ".utf8) }
}

extension QueryPlan {
  /// The steps that scan all rows of a table, or all entries of an index.
  ///
  /// ```swift
  /// let plan = try connection.queryPlan(sql: "SELECT * FROM person WHERE name = ?")
  /// for step in plan.fullScans { print("Slow once the table is large:", step.detail) }
  /// ```
  ///
  /// Scans of intermediate results, such as views and common table expressions, are excluded, unless the result
  /// has another name where it is read. Scans of virtual tables are excluded as well, because only the module
  /// knows how it searches. A `LIMIT` can end a scan early, which a plan does not show.
  ///
  /// The property parses the wording of the plan, because SQLite provides nothing else.
  public var fullScans: [Node] {
    let all = nodes.flatMap(\.withDescendants)
    let computed = Set(all.compactMap(\.nameOfComputed))
    return all.filter { node in node.scanned.map { !computed.contains($0) } ?? false }
  }
}

extension QueryPlan.Node {
  fileprivate var withDescendants: [Self] { [self] + children.flatMap(\.withDescendants) }

  /// The name of the intermediate result that this step computes for other steps.
  fileprivate var nameOfComputed: String? {
    ["CO-ROUTINE ", "MATERIALIZE "].lazy.compactMap { rest(behind: $0) }.first
  }

  /// The name of the table that this step scans completely.
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

extension Statement {
  /// Returns the query plan of the statement, without running it.
  ///
  /// The plan is for parameters without values, regardless of the bound values. Values can lead to another
  /// plan, as the pattern of a LIKE does: see `queryPlan(sql:parameters:)` of the connection.
  ///
  /// The corresponding SQL is `EXPLAIN QUERY PLAN`.
  public func queryPlan() throws -> QueryPlan {
    _ = try unsafe openHandle()
    return try connection.explaining(sql).readPlan()
  }

  fileprivate func readPlan() throws -> QueryPlan {
    parameters.allowUnbound()
    var rows: [(id: Int, parent: Int, detail: String)] = []
    while let row = try step() {
      // A name comes from the database file, and so can contain any bytes.
      let detail = String(decoding: try row.blob(at: 3), as: UTF8.self)
      rows.append((try row[0], try row[1], detail))
    }
    return QueryPlan(rows)
  }
}

extension Connection {
  /// Returns the query plan of one statement, without running it.
  ///
  /// Parameters need no values, but values can lead to a better plan.
  ///
  /// The corresponding SQL is `EXPLAIN QUERY PLAN`.
  @_disfavoredOverload  // An array literal is a list of values, not a blob of bytes.
  public func queryPlan<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    sql: String, parameters a: A = SQLParameters.NoValue(), _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws -> QueryPlan {
    try queryPlan(sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// Returns the query plan of one statement with values for its parameters, without running it.
  public func queryPlan(sql: String, parameters: SQLParameters) throws -> QueryPlan {
    try explaining(sql).bind(parameters).readPlan()
  }

  fileprivate func explaining(_ sql: String) throws -> Statement {
    try prepare(sql: "EXPLAIN QUERY PLAN " + sql)
  }
}
