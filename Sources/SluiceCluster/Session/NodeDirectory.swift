import SluiceCore

/// The addresses of the nodes of a cluster, which all connections of a ``Cluster`` share.
final class NodeDirectory: Sendable {
  private let state: Locked<State>

  private struct State: Sendable {
    var nodes: [NodeAddress]
    var leader: NodeAddress?
  }

  init(_ nodes: [NodeAddress]) { state = Locked(State(nodes: nodes)) }

  /// The addresses to try, with the last known leader first.
  var candidates: [NodeAddress] {
    state.withLock { state in
      guard let leader = state.leader else { return state.nodes.shuffled() }
      return [leader] + state.nodes.filter { $0 != leader }.shuffled()
    }
  }

  /// Records the leader, and the nodes that it knows.
  func note(leader: NodeAddress, members: [NodeAddress]) {
    state.withLock { state in
      state.leader = leader
      // The nodes that the program named remain, because all members may have been replaced.
      state.nodes += members.filter { !state.nodes.contains($0) }
    }
  }

  /// Records that a node is not the leader, or cannot be reached.
  func forget(leader: NodeAddress) {
    state.withLock { state in if state.leader == leader { state.leader = nil } }
  }

  /// Returns a connection to the leader with an open database.
  ///
  /// Throws ``ResultCode/busy`` if the database is being restored, unless the caller accepts that.
  func connect(
    to database: String, acceptsIncomplete: Bool = false, _ patience: Patience
  ) throws -> NodeConnection {
    var reasons: [String] = []
    var tried: Set<NodeAddress> = []
    var rest = candidates[...]
    while let address = rest.popFirst() {
      guard tried.insert(address).inserted else { continue }
      // A stopped process still accepts connections, so a node has only a moment to answer.
      let moment = Patience(
        deadline: min(patience.deadline, .now + .seconds(1)), check: patience.check)
      do {
        let node = try NodeConnection(to: address, moment)
        guard let leader = try node.leader(moment),
          let place = NodeAddress(leader.address, likewise: address)
        else {
          reasons.append("\(address) knows no leader")
          forget(leader: address)
          continue
        }
        guard place == address else {
          forget(leader: address)
          rest = [place] + rest
          continue
        }
        // A new leader may first have to apply its log.
        let longer = Patience(
          deadline: min(patience.deadline, .now + .seconds(3)), check: patience.check)
        let isIncomplete = try prepare(node, database, longer)
        guard !isIncomplete || acceptsIncomplete else {
          node.close()
          throw SQLiteError(
            .busy, "The database \"\(database)\" is being restored, and is incomplete")
        }
        note(leader: address, members: try members(of: node, longer))
        return node
      } catch let error as WireError {
        reasons.append("\(error)")
        forget(leader: address)
      }
    }
    throw ClusterError.noLeader(reasons.joined(separator: "; "))
  }

  /// Opens a database, and returns whether it is being restored.
  private func prepare(
    _ node: NodeConnection, _ database: String, _ patience: Patience
  ) throws -> Bool {
    try node.open(database, patience)
    // A new leader compiles statements before it has applied its log, until it has run a first statement.
    return try node.number(ClusterRestore.isIncomplete, [], patience) != nil
  }

  private func members(of node: NodeConnection, _ patience: Patience) throws -> [NodeAddress] {
    try node.members(patience).compactMap { NodeAddress($0.address, likewise: node.address) }
  }

  /// Returns the leader's address as a node knows it; nil if the node knows none or does not answer.
  func leader(accordingTo address: NodeAddress, _ patience: Patience) throws -> NodeAddress? {
    do {
      let leader = try NodeConnection(to: address, patience).leader(patience)
      return leader.flatMap { NodeAddress($0.address, likewise: address) }
    } catch is WireError {
      return nil
    }
  }
}
