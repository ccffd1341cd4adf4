/// The strategy that SQLite has chosen to find a statement's data.
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
/// A plan is meant for developers to read: its wording can change with every SQLite version.
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

  /// The top-level steps in order; empty if the statement does not search for data.
  ///
  /// The steps of a trigger are the children of a node such as `-- TRIGGER name`. Such nodes exist only if
  /// ``ConnectionOption/triggerQueryPlans`` is on.
  public let nodes: [Node]

  /// Creates a tree from rows in which each parent precedes its children.
  init(_ rows: [(id: Int, parent: Int, detail: String)]) {
    var triggers: [Node] = []
    var children: [Int: [Node]] = [:]
    // In reverse order, the children of a step come before the step itself. Step numbers restart after each
    // trigger's name, so a trigger gets the top-level steps between its name and the next one.
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
  /// The tree in the format of SQLite's command-line shell; empty if there are no steps.
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
  /// Scans of intermediate results, such as views and common table expressions, are excluded, unless the query
  /// reads the intermediate result under an alias. Scans of virtual tables are also excluded, because a plan does
  /// not show how a module searches. A `LIMIT` can end a scan early, but a plan does not show that.
  ///
  /// This property parses the text of the plan, because SQLite provides no structured form of it.
  public var fullScans: [Node] {
    let all = nodes.flatMap(\.withDescendants)
    let computed = Set(all.compactMap(\.nameOfComputed))
    return all.filter { node in node.scanned.map { !computed.contains($0) } ?? false }
  }
}

extension QueryPlan.Node {
  fileprivate var withDescendants: [Self] { [self] + children.flatMap(\.withDescendants) }

  /// The name of the intermediate result that this step computes for other steps; nil if there is none.
  fileprivate var nameOfComputed: String? {
    ["CO-ROUTINE ", "MATERIALIZE "].lazy.compactMap { rest(behind: $0) }.first
  }

  /// The name of the table that this step scans completely; nil if there is none.
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
  /// The plan ignores the bound values, although a value, such as the pattern of a LIKE, can lead to a
  /// different plan. For a plan that considers values, use the connection's `queryPlan(sql:parameters:)`.
  ///
  /// The corresponding SQL is `EXPLAIN QUERY PLAN`.
  public func queryPlan() throws -> QueryPlan {
    _ = try unsafe openHandle()
    return try connection.explaining(sql).readPlan()
  }

  func readPlan() throws -> QueryPlan {
    parameters.allowUnbound()
    var rows: [(id: Int, parent: Int, detail: String)] = []
    while let row = try step() {
      // The text can include names from the database file, which can contain any bytes.
      // The trigger that performs the action of a foreign key has no name.
      let detail =
        try row.isNull(at: 3)
        ? "-- TRIGGER of a foreign key" : String(decoding: try row.blob(at: 3), as: UTF8.self)
      rows.append((try row[0], try row[1], detail))
    }
    return QueryPlan(rows)
  }
}

extension Connection {
  /// Returns the query plan of one statement, without running it.
  ///
  /// Parameters need no values. If a parameter has a value, SQLite can take it into account.
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

  func explaining(_ sql: String) throws -> Statement {
    try prepare(sql: "EXPLAIN QUERY PLAN " + sql)
  }
}
