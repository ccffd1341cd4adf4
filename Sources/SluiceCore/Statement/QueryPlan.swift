/// How SQLite is going to look for what a statement asks for.
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
/// It is for the eyes of a developer: its words change from one version of SQLite to the next.
public struct QueryPlan: Hashable, Sendable {
  /// A step of a plan.
  public struct Node: Hashable, Sendable, Identifiable {
    /// The number of the step among those of its statement or trigger.
    public let id: Int
    /// The operation, such as `SCAN person`.
    public let detail: String
    /// The steps that it consists of.
    public let children: [Node]
  }

  /// The outermost steps in order, and none if nothing is looked for.
  ///
  /// Those of a trigger are the children of a node such as `-- TRIGGER name`, which is there if
  /// the connection is set to explain triggers.
  public let nodes: [Node]

  /// Makes a tree of rows, of which each comes behind the one that it is part of.
  init(_ rows: [(id: Int, parent: Int, detail: String)]) {
    var triggers: [Node] = []
    var children: [Int: [Node]] = [:]
    // From the last to the first, so that each finds its children. The numbers begin anew behind
    // each name of a trigger.
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
  /// The tree as the command line tool of SQLite draws it; empty if there is nothing to draw.
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
  /// Whether this stands at the head of the plan of a trigger.
  fileprivate var isNameOfTrigger: Bool { utf8.starts(with: "-- ".utf8) }
}

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

extension Statement {
  /// How SQLite is going to look for what the statement asks for; it does not run.
  ///
  /// It is the plan for parameters that have no value, whatever is bound. Values can lead to another
  /// one, as the pattern of a LIKE does: see `queryPlan(sql:parameters:)` of the connection.
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
      // A name in it can be any bytes that a file holds.
      let detail = String(decoding: try row.blob(at: 3), as: UTF8.self)
      rows.append((try row[0], try row[1], detail))
    }
    return QueryPlan(rows)
  }
}

extension Connection {
  /// How SQLite is going to look for what one statement asks for; it does not run.
  ///
  /// Parameters need no values. Those that have some can have a better plan.
  ///
  /// The corresponding SQL is `EXPLAIN QUERY PLAN`.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
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

  /// How SQLite is going to look for what one statement asks for; it does not run.
  public func queryPlan(sql: String, parameters: SQLParameters) throws -> QueryPlan {
    try explaining(sql).bind(parameters).readPlan()
  }

  fileprivate func explaining(_ sql: String) throws -> Statement {
    try prepare(sql: "EXPLAIN QUERY PLAN " + sql)
  }
}
