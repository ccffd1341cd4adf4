extension ClusterAdministrator {
  /// Adds a node to the cluster, and waits until it has a role.
  ///
  /// Does nothing if the node is a member with this role. A node that becomes a voter or standby must run, and first
  /// receives all data.
  ///
  /// - Parameters:
  ///   - id: A number that the cluster never used for another node.
  ///   - address: The address at which clients and other nodes connect to the node.
  ///   - role: The role that the node gets.
  ///   - deadline: The instant at which the method throws.
  /// - Throws: ``ClusterAdministrationError``; `.refused` if another member has the id or the address.
  public func add(
    _ id: UInt64, at address: NodeAddress, as role: NodeRole = .voter,
    deadline: ContinuousClock.Instant = membershipDeadline
  ) throws {
    try onLeader(deadline) { leader in
      let members = try leader.members()
      if let other = members.first(where: { ($0.id == id) != ($0.address == address.description) })
      {
        throw ClusterAdministrationError(
          .refused,
          other.id == id
            ? "The node at \(other.address) has the id \(id); choose an id that the cluster never used"
            : "Node \(other.id) has the address \(address); remove it first")
      }
      if !members.contains(where: { $0.id == id }) { try leader.session.add(id, address) }
      try assign(role, to: id, leader, deadline)
    }
  }

  /// Changes the role of a member, and waits until the cluster has accepted the change.
  ///
  /// A node that becomes a voter or standby must run, and first receives all data.
  ///
  /// - Throws: ``ClusterAdministrationError``; `.refused` if there is no such member, or if it is the only voter.
  public func assign(
    _ role: NodeRole, to id: UInt64, deadline: ContinuousClock.Instant = membershipDeadline
  ) throws {
    try onLeader(deadline) { try assign(role, to: id, $0, deadline) }
  }

  /// Removes a member from the cluster; a leader is removed after another voter leads.
  ///
  /// End the process of the node afterwards, and delete its data: a removed node never becomes a member again. The node
  /// of a new member has a new id.
  ///
  /// - Throws: ``ClusterAdministrationError``; `.refused` if there is no such member, or if it is the only voter.
  public func remove(_ id: UInt64, deadline: ContinuousClock.Instant = membershipDeadline) throws {
    var isRemoved = false
    try onLeader(deadline) { leader in
      let members = try leader.members()
      if isRemoved, !members.contains(where: { $0.id == id }) { return }
      let member = try self.member(id, of: members)
      try keepVoter(member, members)
      if leader.leader.id == id {
        try handOver(leader, members, deadline)
        throw WireError.unreachable("Node \(id) still leads the cluster")
      }
      isRemoved = true
      try leader.session.remove(id)
    }
  }

  /// Makes a voter the leader of the cluster; does nothing if it is the leader.
  ///
  /// - Throws: ``ClusterAdministrationError``; `.refused` if there is no such voter.
  public func transfer(
    to id: UInt64, deadline: ContinuousClock.Instant = defaultDeadline
  ) throws {
    try onLeader(deadline) { leader in
      guard leader.leader.id != id else { return }
      let members = try leader.members()
      let member = try self.member(id, of: members)
      guard member.role == .voter else {
        throw ClusterAdministrationError(
          .refused, "Node \(id) is a \(member.role), and only a voter can lead the cluster")
      }
      try checkReady(member, members, deadline)
      try leader.session.transfer(to: id)
    }
  }

  /// Makes another voter the leader if the node with this id leads the cluster, for example before its process ends.
  ///
  /// The other voters are asked once each, because a node that ends should not wait for them. The first of ``nodes`` that
  /// answers tells who leads.
  ///
  /// - Returns: Whether the node led the cluster.
  /// - Throws: ``ClusterAdministrationError`` if no other voter becomes the leader.
  @discardableResult
  public func handOver(
    from id: UInt64, deadline: ContinuousClock.Instant = defaultDeadline
  ) throws -> Bool {
    try describingErrors {
      var failure = WireError.unreachable("The administrator has no addresses")
      for node in nodes {
        do {
          var session = try NodeSession(node, deadline)
          guard let leader = try session.knownLeader(), leader.id == id else { return false }
          let address = try address(of: leader.address)
          if address != node { session = try NodeSession(address, deadline) }
          try handOver(
            LeaderSession(leader: leader, session: session), session.members(), deadline)
          return true
        } catch let error as WireError {
          failure = error
        }
      }
      throw failure
    }
  }
}

extension ClusterAdministrator {
  private func member(_ id: UInt64, of members: [NodeMember]) throws -> NodeMember {
    if let member = members.first(where: { $0.id == id }) { return member }
    let known = members.map { "\($0.id)" }.joined(separator: ", ")
    throw ClusterAdministrationError(
      .refused, "The cluster has no member \(id); its members are \(known)")
  }

  /// Throws if a member is the only voter, without which the cluster could never do anything again.
  private func keepVoter(_ member: NodeMember, _ members: [NodeMember]) throws {
    guard member.role != .voter || members.contains(where: { $0 != member && $0.role == .voter })
    else {
      throw ClusterAdministrationError(
        .refused, "Node \(member.id) is the only voter of the cluster; add another voter first")
    }
  }

  private func assign(
    _ role: NodeRole, to id: UInt64, _ leader: LeaderSession, _ deadline: ContinuousClock.Instant
  ) throws {
    let members = try leader.members()
    let member = try self.member(id, of: members)
    guard member.role != role else { return }
    if role != .voter { try keepVoter(member, members) }
    // While the leader waits for a node that does not run, it refuses every other change.
    guard role == .spare || isRunning(member, deadline) else {
      throw WireError.unreachable("Node \(id) does not answer at \(member.address)")
    }
    try leader.session.assign(role, to: id)
  }

  /// Throws if a voter does not run, or does not know the newest members.
  ///
  /// The leader executes no writes while it waits for a node that does not run. In dqlite 1.11, a node that becomes the
  /// leader before it has stored a change of the members never learns of the change: it would lead with other voters
  /// than the other nodes know.
  private func checkReady(
    _ member: NodeMember, _ members: [NodeMember], _ deadline: ContinuousClock.Instant
  ) throws {
    let known = try NodeSession(address(of: member.address), deadline).members()
    guard Set(known) == Set(members) else {
      throw WireError.unreachable("Node \(member.id) does not know the newest members yet")
    }
  }

  /// Transfers the leadership to the first other voter that accepts it.
  private func handOver(
    _ leader: LeaderSession, _ members: [NodeMember], _ deadline: ContinuousClock.Instant
  ) throws {
    var failure = WireError.unreachable("No other voter answers")
    for member in members where member.id != leader.leader.id && member.role == .voter {
      do {
        try checkReady(member, members, deadline)
        return try leader.session.transfer(to: member.id)
      } catch let error as WireError {
        failure = error
      }
    }
    throw failure
  }
}
