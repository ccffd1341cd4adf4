import Foundation
package import SluiceCluster

extension ClusterAdministrator {
  /// Waits for a leader other than the node with an id, and returns it.
  package func leader(otherThan id: UInt64?) async throws -> NodeMember {
    let deadline = ContinuousClock.now + LocalNode.patience
    while true {
      let member = try await blocking { try self.leader(deadline: deadline) }
      if member.id != id { return member }
      guard .now < deadline else { throw NodeFailure("Node \(member.id) remains the leader") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits until a number of nodes are voters that know the same leader and the same members, and no others.
  package func waitUntilComplete(_ count: Int) async throws {
    let deadline = ContinuousClock.now + LocalNode.patience
    while true {
      let states = try await blocking { try self.status(deadline: deadline) }
      let leaders = Set(states.map { $0.leader?.id })
      if states.count == count, leaders.count == 1, leaders != [nil],
        Set(states.map(\.knownMembers)).count == 1,
        states.allSatisfy({ $0.member?.role == .voter })
      {
        return
      }
      guard .now < deadline else {
        throw NodeFailure("Not all nodes are voters that know the same leader: \(states)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
