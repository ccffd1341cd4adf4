/// Manages the members of a cluster.
///
/// ```swift
/// let administrator = ClusterAdministrator(nodes: ["127.0.0.1:9001", "127.0.0.1:9002"])
/// try administrator.transfer(to: 2)
/// ```
///
/// Each method blocks its thread until a node has answered or the deadline has passed. A method that changes the members
/// first compares them with the request, and repeats a step whose answer was lost. So it can be called again after
/// an error.
public struct ClusterAdministrator: Sendable {
  /// The addresses at which the administrator looks for the leader.
  public let nodes: [NodeAddress]

  /// Creates an administrator of the cluster to which the nodes belong.
  ///
  /// - Parameter nodes: The addresses of one or more members, from which the others are found, or a door.
  public init(nodes: [NodeAddress]) {
    self.nodes = nodes
  }

  /// The longest wait for a node that does not answer, while other nodes could answer.
  static let longestProbe = Duration.seconds(1)

  /// The deadline of a method that reads, or that changes the leader, if the caller passes none: in 10 seconds.
  public static var defaultDeadline: ContinuousClock.Instant { .now + .seconds(10) }

  /// The deadline of a method that changes members if the caller passes none: in two minutes.
  ///
  /// If a node ends while it becomes a voter, the leader refuses all changes of members for up to 50 seconds.
  public static var membershipDeadline: ContinuousClock.Instant { .now + .seconds(120) }
}

extension ClusterAdministrator {
  /// Returns the member that leads the cluster.
  public func leader(deadline: ContinuousClock.Instant = defaultDeadline) throws -> NodeMember {
    try onLeader(deadline, \.leader)
  }

  /// Returns the members of the cluster, as the leader knows them.
  public func members(deadline: ContinuousClock.Instant = defaultDeadline) throws -> [NodeMember] {
    try onLeader(deadline) { try $0.members() }
  }

  /// Returns the state of each member, and of each node of ``nodes`` that is not a door.
  ///
  /// Without a leader, the first node that answers supplies the members. The status of a cluster of which no
  /// node answers contains ``nodes`` only, and then also the doors, with the reason.
  public func status(deadline: ContinuousClock.Instant = defaultDeadline) throws -> [NodeStatus] {
    // A part of the time remains for the states of the nodes, which contain their errors.
    let search = min(.seconds(3), (deadline - .now) / 3)
    let members = (try? members(deadline: .now + search)) ?? membersWithoutLeader(deadline)
    let known = Set(members.map(\.address))
    return members.sorted { $0.id < $1.id }.map { status(of: $0.address, $0, deadline) }
      + nodes.filter { members.isEmpty || $0.door == nil }.map(\.description)
      .filter { !known.contains($0) }.map { status(of: $0, nil, deadline) }
  }

  /// Copies a database to a new file from the first of ``nodes`` that answers.
  ///
  /// The copy can lack the newest commits, and needs no leader. ``Cluster/backup(to:overwriting:deadline:progress:)`` copies
  /// a database with all commits.
  ///
  /// - Parameters:
  ///   - database: The name of the database.
  ///   - path: The path of the file, which appears when it is complete and has passed `PRAGMA quick_check`.
  ///   - overwriting: Whether to replace an existing file.
  ///   - deadline: The instant at which the method throws.
  ///   - progress: A closure that receives the number of bytes that were copied, and of all bytes. If it throws, there is
  ///     no new file.
  /// - Throws: ``ClusterAdministrationError`` if no node answers, `.refused` if there is no such database,
  ///   ``ResultCode/cantOpen`` if the file exists and `overwriting` is false, and ``ResultCode/ioError`` if the file
  ///   cannot be written.
  public func backup(
    _ database: String, to path: String, overwriting: Bool = false,
    deadline: ContinuousClock.Instant = membershipDeadline,
    progress: ((_ byteCount: Int, _ totalByteCount: Int) throws -> Void)? = nil
  ) throws {
    guard !database.isEmpty, !database.utf8.contains(0) else {
      throw ClusterAdministrationError(.refused, "The name of a database must not be empty")
    }
    let copy = try ReceivedCopy(path, overwriting: overwriting)
    defer { copy.abandon() }
    var failures: [String] = []
    for node in nodes {
      do {
        try NodeSession(node, deadline).dump(database) { part in
          try copy.receive(part)
          try progress?(part.byteCount, part.totalByteCount)
        }
        guard try copy.complete(if: { _ in true }) else {
          throw ClusterAdministrationError(
            .refused, "\"\(database)\" cannot be copied: there is no such database")
        }
        return
      } catch let error as WireError {
        failures.append("\(error)")
        copy.restart()
      }
    }
    throw ClusterAdministrationError(.notFinished, failures.joined(separator: "; "))
  }
}
