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
    // Each cluster has its own address, so that no other process can take its ports.
    let number = UInt16.random(in: 256..<UInt16.max)
    let host = "127.\(number >> 8).\(number & 255).\(UInt8.random(in: 2...254))"
    self.folder = folder
    self.host = host
    nodes = try (1...UInt64(count)).map { id in
      guard let address = NodeAddress("\(host):\(try FreePort.find(host))") else {
        throw NodeFailure("\(host) is not an address")
      }
      return LocalNode(id: id, address: address, directory: "\(folder)/\(id)", latency: latency)
    }
  }

  deinit { end() }

  package var addresses: [NodeAddress] { nodes.map(\.address) }

  /// Starts the nodes, and waits until all are voters.
  package func start() async throws {
    for (index, node) in nodes.enumerated() {
      try await node.start(joining: nodes[..<index].map(\.address))
    }
  }

  /// Kills all nodes, and deletes their data.
  package func end() {
    for node in nodes { node.kill() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}

extension LocalCluster {
  /// Waits for a leader other than the given node, and returns it.
  package func leader(otherThan other: LocalNode? = nil) async throws -> LocalNode {
    let deadline = ContinuousClock.now + .seconds(30)
    let administrator = ClusterAdministrator(
      nodes: addresses.filter { $0 != other?.address })
    while true {
      let leader = try await blocking { try administrator.leader(deadline: deadline) }
      if let node = nodes.first(where: { $0.id == leader.id }), node.id != other?.id {
        return node
      }
      guard .now < deadline else { throw NodeFailure("Node \(leader.id) remains the leader") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Makes a node the leader.
  package func transfer(to node: LocalNode) async throws {
    let administrator = ClusterAdministrator(nodes: addresses)
    try await blocking { try administrator.transfer(to: node.id) }
  }

  /// Waits until all nodes answer and know the same leader.
  package func waitUntilComplete() async throws {
    let administrator = ClusterAdministrator(nodes: addresses)
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      let states = try await blocking { try administrator.status(deadline: deadline) }
      let leaders = Set(states.map { $0.leader?.id })
      if leaders.count == 1, leaders != [nil], states.allSatisfy({ $0.member?.role == .voter }) {
        return
      }
      guard .now < deadline else { throw NodeFailure("Not all nodes know the same leader") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Writes the copy of a database that a node has to a new file, and returns its path.
  package func copy(_ database: String, of node: LocalNode) async throws -> String {
    let administrator = ClusterAdministrator(nodes: [node.address])
    let file = "\(folder)/\(database)-\(UUID())"
    try await blocking {
      let content = try administrator.dump(database, of: node.address)
      try Data(content.database).write(to: URL(filePath: file))
      try Data(content.wal).write(to: URL(filePath: file + "-wal"))
    }
    return file
  }
}

/// Calls `body` on a thread that may block.
package func blocking<T: Sendable>(
  _ body: @escaping @Sendable () throws -> T
) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result(catching: body)) }.start()
  }
}
