import Foundation
package import SluiceCluster
import Synchronization

/// A cluster whose nodes are processes of `sluice-node` on this machine, with their data in a temporary folder.
///
/// The processes end with this process, however it ends.
package final class LocalCluster: Sendable {
  package let nodes: [LocalNode]
  /// The address of the machine that all nodes use.
  package let host: String
  private let folder: String
  /// The keys of the nodes; nil without TLS.
  private let keys: LocalKeys?
  private let door = Mutex<LocalDoor?>(nil)

  /// Creates a cluster whose nodes do not run yet.
  ///
  /// - Parameters:
  ///   - count: The number of nodes.
  ///   - latency: The milliseconds that a message takes, from which the nodes derive their timeouts; nil for the default.
  ///   - usesTLS: Whether the nodes and their clients use TLS.
  /// - Throws: ``NodeFailure`` if no port is free, and errors of the file system.
  package init(nodes count: Int = 3, latency: Int? = nil, usesTLS: Bool = false) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/sluice-nodes-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let host = LocalHost()
    self.folder = folder
    self.host = host.name
    let addresses = try (0..<count).map { _ in try host.newAddress() }
    let keys = usesTLS ? LocalKeys(folder: folder + "/keys") : nil
    self.keys = keys
    try keys?.make(for: addresses)
    nodes = addresses.enumerated().map { index, address in
      LocalNode(
        id: UInt64(index + 1), address: address, directory: "\(folder)/\(index + 1)",
        options: (latency.map { ["--latency", "\($0)"] } ?? [])
          + (keys.map { ["--keys", $0.node(address)] } ?? []))
    }
  }

  deinit { end() }

  package var addresses: [NodeAddress] { nodes.map(\.address) }

  /// The addresses with which clients reach the nodes: with TLS, that of a door.
  package var clientAddresses: [NodeAddress] {
    door.withLock { $0.map { [$0.address] } } ?? addresses
  }

  private var administrator: ClusterAdministrator { ClusterAdministrator(nodes: clientAddresses) }

  /// Starts the nodes, and waits until all are voters.
  package func start() async throws {
    for (index, node) in nodes.enumerated() {
      try await node.start(joining: nodes[..<index].map(\.address))
    }
    guard let keys else { return }
    // The tests and measurements also change members, which the keys of a client do not permit.
    let door = try await LocalDoor(
      to: addresses, keys: keys.node(nodes[0].address), at: folder + "/door")
    self.door.withLock { $0 = door }
  }

  /// Kills all nodes, and deletes their data.
  package func end() {
    for node in nodes { node.kill() }
    door.withLock { $0 }?.end()
    // A second call finds no folder. A folder that remains is temporary.
    try? FileManager.default.removeItem(atPath: folder)
  }
}

extension LocalCluster {
  /// Waits for a leader other than the given node, and returns it.
  package func leader(otherThan other: LocalNode? = nil) async throws -> LocalNode {
    let administrator = ClusterAdministrator(
      nodes: clientAddresses.filter { $0 != other?.address })
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
  package func waitUntilComplete() async throws {
    try await administrator.waitUntilComplete(nodes.count)
  }

  /// Writes the copy of a database that a node has to a new file, and returns its path.
  package func copy(_ database: String, of node: LocalNode) async throws -> String {
    let file = "\(folder)/\(database)-\(UUID())"
    let administrator = ClusterAdministrator(nodes: [node.address])
    try await blocking { try administrator.backup(database, to: file) }
    return file
  }
}
