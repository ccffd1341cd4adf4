/// A leader of a cluster, and the connection to it.
struct LeaderSession {
  let leader: NodeMember
  let session: NodeSession

  func members() throws -> [NodeMember] { try session.members() }
}

extension ClusterAdministrator {
  /// Calls `body` with a connection to the leader, again and again until it returns, and throws after the deadline.
  ///
  /// `body` must be repeatable. An error that it throws ends the calls if it is a ``ClusterAdministrationError``.
  func onLeader<T>(
    _ deadline: ContinuousClock.Instant, _ body: (LeaderSession) throws -> T
  ) throws -> T {
    typealias Problem = (reason: ClusterAdministrationError.Reason, message: String)
    var last: Problem?
    var pause = Duration.milliseconds(10)
    while true {
      var problem: Problem = (.noLeader, "No node knows a leader")
      do {
        if let leader = try findLeader(deadline) {
          problem.reason = .notFinished
          return try body(leader)
        }
      } catch let error as WireError {
        problem.message = "\(error)"
      }
      // An attempt that the deadline cuts short says less than an earlier one.
      if ContinuousClock.now < deadline { last = problem }
      try Patience(deadline: deadline).sleep(for: pause)
      guard ContinuousClock.now < deadline else {
        let (reason, message) = last ?? problem
        let addresses = nodes.map(\.description).joined(separator: ", ")
        throw ClusterAdministrationError(
          reason, reason == .noLeader ? "No leader was found at \(addresses): \(message)" : message)
      }
      pause = min(pause * 2, .milliseconds(250))
    }
  }

  /// Returns a connection to the leader; nil if no node knows one.
  ///
  /// - Throws: The error of the last node, if none answers.
  private func findLeader(_ deadline: ContinuousClock.Instant) throws -> LeaderSession? {
    var failure: (any Error)?
    var answered = false
    for node in nodes {
      do {
        let session = try NodeSession(node, deadline)
        let leader = try session.knownLeader()
        answered = true
        guard let leader, let address = NodeAddress(leader.address, likewise: node) else {
          continue
        }
        if address == node { return LeaderSession(leader: leader, session: session) }
        // A node can believe in a leader that has lost the majority since then.
        let other = try NodeSession(address, deadline)
        if try other.knownLeader()?.id == leader.id {
          return LeaderSession(leader: leader, session: other)
        }
      } catch {
        failure = error
      }
    }
    if !answered, let failure { throw failure }
    return nil
  }

  /// Returns the members that the first node knows that answers.
  func membersWithoutLeader(_ deadline: ContinuousClock.Instant) -> [NodeMember] {
    for node in nodes {
      // The next node may answer.
      if let members = try? NodeSession(node, deadline).members(), !members.isEmpty {
        return members
      }
    }
    return []
  }

  /// Returns the state of the node at an address.
  func status(
    of address: String, _ member: NodeMember?, _ deadline: ContinuousClock.Instant
  ) -> NodeStatus {
    do {
      let session = try NodeSession(self.address(of: address), deadline)
      return NodeStatus(
        member: member, address: address, leader: try session.knownLeader(),
        failureDomain: try session.failureDomain(),
        knownMembers: try session.members().sorted { $0.id < $1.id }, failure: nil)
    } catch {
      return NodeStatus(
        member: member, address: address, leader: nil, failureDomain: nil, knownMembers: nil,
        failure: "\(error)")
    }
  }

  /// Returns the address at which the administrator reaches a node, through the door if it has one.
  func address(of text: String) throws -> NodeAddress {
    if let node = nodes.first(where: { $0.description == text }) { return node }
    let door = nodes.first { $0.door != nil }
    guard let node = NodeAddress(text, likewise: door) else {
      throw WireError.unreachable("\"\(text)\" is not an IPv4 address and a port")
    }
    return node
  }

  /// Whether the node of a member answers.
  func isRunning(_ member: NodeMember, _ deadline: ContinuousClock.Instant) -> Bool {
    status(of: member.address, member, deadline).failure == nil
  }

  /// Returns the result of `body`, and describes errors of the network for the user.
  func describingErrors<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as WireError {
      throw ClusterAdministrationError(.notFinished, "\(error)")
    }
  }
}
