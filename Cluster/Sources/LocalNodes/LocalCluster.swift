import Foundation
package import SluiceCluster

/// A cluster whose nodes are processes of `sluice-node` on this machine, with their data in a temporary folder.
///
/// The processes end with this process, however it ends.
package final class LocalCluster: Sendable {
  package let nodes: [LocalNode]
  /// The address of the machine that all nodes use.
  package let host: String
  private let folder: String

  /// Creates a cluster whose nodes do not run yet.
  ///
  /// - Parameters:
  ///   - count: The number of nodes.
  ///   - latency: The milliseconds that a message takes, from which the nodes derive their timeouts; nil for the default.
  /// - Throws: ``NodeFailure`` if no port is free, and errors of the file system.
  package init(nodes count: Int = 3, latency: Int? = nil) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/sluice-nodes-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let host = LocalHost()
    self.folder = folder
    self.host = host.name
    nodes = try (1...UInt64(count)).map { id in
      LocalNode(
        id: id, address: try host.newAddress(), directory: "\(folder)/\(id)",
        options: latency.map { ["--latency", "\($0)"] } ?? [])
    }
  }

  deinit { end() }

  package var addresses: [NodeAddress] { nodes.map(\.address) }

  private var administrator: ClusterAdministrator { ClusterAdministrator(nodes: addresses) }

  /// Starts the nodes, and waits until all are voters.
  package func start() async throws {
    for (index, node) in nodes.enumerated() {
      try await node.start(joining: nodes[..<index].map(\.address))
    }
  }

  /// Kills all nodes, and deletes their data.
  package func end() {
    for node in nodes { node.kill() }
    // A second call finds no folder. A folder that remains is temporary.
    try? FileManager.default.removeItem(atPath: folder)
  }
}

extension LocalCluster {
  /// Waits for a leader other than the given node, and returns it.
  package func leader(otherThan other: LocalNode? = nil) async throws -> LocalNode {
    let administrator = ClusterAdministrator(nodes: addresses.filter { $0 != other?.address })
    let leader = try await administrator.leader(otherThan: other?.id)
    guard let node = nodes.first(where: { $0.id == leader.id }) else {
      throw NodeFailure("Node \(leader.id) leads the cluster, but does not belong to it")
    }
    return node
  }

  /// Makes a node the leader.
  package func transfer(to node: LocalNode) async throws {
    try await blocking { [administrator] in try administrator.transfer(to: node.id) }
  }

  /// Waits until all nodes are voters that know the same leader and the same members.
  package func waitUntilComplete() async throws { try await administrator.waitUntilComplete() }

  /// Writes the copy of a database that a node has to a new file, and returns its path.
  package func copy(_ database: String, of node: LocalNode) async throws -> String {
    let file = "\(folder)/\(database)-\(UUID())"
    let administrator = ClusterAdministrator(nodes: [node.address])
    try await blocking { try administrator.backup(database, to: file) }
    return file
  }
}
