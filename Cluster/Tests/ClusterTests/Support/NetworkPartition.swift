import SluiceCluster
import Testing

/// A partition of the network between the hosts of a cluster.
enum NetworkPartition: String, CaseIterable, Sendable {
  case unpluggedFollower = "a follower is unplugged"
  case unpluggedLeader = "the leader is unplugged"
  case mutedFollower = "nothing leaves a follower"
  case mutedLeader = "nothing leaves the leader"
  case deafFollower = "nothing reaches a follower"
  case deafLeader = "nothing reaches the leader"
  /// Without a trace for their systems, unlike an unplugged cable.
  case lostLeader = "nothing leaves or reaches the leader"
  /// Programs reach the old leader and the new one.
  case deposedLeader = "the leader is separated from all other nodes"
  case separatedPair = "the leader is separated from a follower"
  /// A program that is cut off in a transaction can hold up the others.
  case unpluggedProgram = "a program is unplugged"
  case unpluggedNodes = "all nodes are unplugged"

  /// Whether programs can still commit.
  var permitsCommits: Bool { self != .unpluggedProgram && self != .unpluggedNodes }

  /// Begins the partition, which ``TestNetwork/repair()`` ends.
  func begin(in cluster: TestCluster) async throws {
    let leader = try await cluster.leader()
    let follower = try #require(cluster.ids.filter { $0 != leader }.randomElement())
    let hosts = try cluster.hosts
    let nodes = try cluster.ids.map { try hosts.host($0) }
    let (leaderHost, followerHost) = try (hosts.host(leader), hosts.host(follower))
    let network = hosts.network
    switch self {
    case .unpluggedFollower: try network.unplug(followerHost)
    case .unpluggedLeader: try network.unplug(leaderHost)
    case .mutedFollower: try network.mute(followerHost)
    case .mutedLeader: try network.mute(leaderHost)
    case .deafFollower: try network.deafen(followerHost)
    case .deafLeader: try network.deafen(leaderHost)
    case .lostLeader:
      try network.mute(leaderHost)
      try network.deafen(leaderHost)
    case .deposedLeader:
      for node in nodes where node != leaderHost { try network.separate(leaderHost, node) }
    case .separatedPair: try network.separate(leaderHost, followerHost)
    case .unpluggedProgram: try network.unplug(#require(hosts.programs.randomElement()))
    case .unpluggedNodes: for node in nodes { try network.unplug(node) }
    }
  }
}
