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
    /// What is done, such as `SCAN person`.
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
