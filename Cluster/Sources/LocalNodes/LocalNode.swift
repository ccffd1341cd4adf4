import Foundation
package import SluiceCluster
import Synchronization

/// A node on this machine, and its process.
package final class LocalNode: Sendable {
  /// The longest time that a node needs to start, or a cluster to find a leader.
  package static let patience = Duration.seconds(30)

  package let id: UInt64
  package let address: NodeAddress
  /// The folder of the node's data.
  package let directory: String
  private let options: [String]
  private let launcher: [String]
  private let current = Mutex<NodeProcess?>(nil)

  /// Creates a node that does not run yet, with further options of `sluice-node`.
  ///
  /// A `launcher` is a command that starts the program by replacing itself.
  package init(
    id: UInt64, address: NodeAddress, directory: String, options: [String],
    launcher: [String] = []
  ) {
    self.id = id
    self.address = address
    self.directory = directory
    self.options = options
    self.launcher = launcher
  }

  private var log: String { directory + ".log" }

  /// Everything that the processes of the node printed.
  package var output: String {
    // Before the first start, there is no file.
    (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
  }

  /// The process; nil if it was not started, or was taken or killed.
  package var process: NodeProcess? { current.withLock { $0 } }

  /// Starts the process, and waits until the node is a member of the cluster.
  ///
  /// - Parameter cluster: The cluster that a new node joins; empty for the first node, and for a node that is a member.
  /// - Throws: ``NodeFailure`` if the process ends, or does not start in time.
  package func start(joining cluster: [NodeAddress] = []) async throws {
    let command = cluster.isEmpty ? ["start"] : ["join"] + cluster.map(\.description)
    let earlier = output.count
    let process = try NodeProcess(
      command + ["--id", "\(id)", "--address", "\(address)", "--directory", directory]
        + options + ["--supervised"],
      output: log, launcher: launcher)
    current.withLock { $0 = process }
    let deadline = ContinuousClock.now + Self.patience
    while !output.dropFirst(earlier).contains("serves") {
      guard process.isRunning else { throw NodeFailure("Node \(id) has ended:\n\(output)") }
      guard .now < deadline else { throw NodeFailure("Node \(id) does not start:\n\(output)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Returns the process, and forgets it.
  package func takeProcess() -> NodeProcess? {
    current.withLock { current in
      defer { current = nil }
      return current
    }
  }

  /// Ends the process as a power failure would, without a chance to write anything.
  package func kill() { takeProcess()?.kill() }
}

/// A node or a cluster does not do what a program needs.
package struct NodeFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
