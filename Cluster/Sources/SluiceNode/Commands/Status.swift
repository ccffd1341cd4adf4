import SluiceCluster

/// Lists the members of a cluster.
struct Status: Command {
  let name = "status"
  let summary = "Lists the members of a cluster, with their roles and whether they answer."
  let operands = "ADDRESS…"
  let options = [Option.timeout]
  let details = """
    Ends with the status 1 if a node does not answer, if a node knows other members than the leader, or
    if there is no leader. Without a leader, the first node that answers tells the members. If a node
    knows other members for longer than a few seconds, start it again.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let nodes = try arguments.administrator.status(deadline: arguments.deadline())
    guard nodes.contains(where: { $0.failure == nil }) else {
      throw Failure(
        "No node answers: " + nodes.compactMap(\.failure).joined(separator: "; "))
    }
    let members = nodes.compactMap(\.member)
    let rows = nodes.map { Self.row($0, members) }
    let titles = [["ID", "ADDRESS", "ROLE", "FAILURE DOMAIN", "STATE"]]
    for line in Self.aligned(titles + rows) { try NodeProgram.write(line) }
    let isHealthy =
      nodes.contains(where: \.isLeader) && Set(nodes.map { $0.leader?.id }).count == 1
      && nodes.allSatisfy { $0.failure == nil && $0.knownMembers == members }
      && members.allSatisfy { $0.role != .spare }
    return isHealthy ? .success : .found
  }

  private static func row(_ node: NodeStatus, _ members: [NodeMember]) -> [String] {
    let id = node.member.map { "\($0.id)" }
    let role = node.member.map { "\($0.role)" }
    let failureDomain = node.failureDomain.map { "\($0)" }
    return [
      id ?? "-", node.address, role ?? "not a member", failureDomain ?? "-",
      state(of: node)
        + (node.knownMembers == members || node.failure != nil ? "" : ", knows other members"),
    ]
  }

  private static func state(of node: NodeStatus) -> String {
    if let failure = node.failure { return "does not answer: \(failure)" }
    if node.isLeader { return "leader" }
    return node.leader.map { "follows \($0.id)" } ?? "knows no leader"
  }

  private static func aligned(_ rows: [[String]]) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }.joined(separator: "  ").trimmingSuffix { $0 == " " }
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> String {
    guard let last = lastIndex(where: { !condition($0) }) else { return "" }
    return String(self[...last])
  }
}
