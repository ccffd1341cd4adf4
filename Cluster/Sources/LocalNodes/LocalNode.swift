import Foundation
package import SluiceCluster
import Synchronization

/// A node of a ``LocalCluster``, and its process.
package final class LocalNode: Sendable {
  package let id: UInt64
  package let address: NodeAddress
  private let directory: String
  private let latency: Int?
  private let process = Mutex<NodeProcess?>(nil)

  init(id: UInt64, address: NodeAddress, directory: String, latency: Int?) {
    self.id = id
    self.address = address
    self.directory = directory
    self.latency = latency
  }

  private var log: String { directory + ".log" }

  /// Everything that the processes of the node printed.
  private var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Starts the process, and waits until the node is a member of the cluster.
  ///
  /// - Parameter cluster: The cluster that a new node joins; empty for the first node, and for a node that is a member.
  /// - Throws: ``NodeFailure`` if the process ends, or does not start in time.
  package func start(joining cluster: [NodeAddress] = []) async throws {
    let command = cluster.isEmpty ? ["start"] : ["join"] + cluster.map(\.description)
    let options = latency.map { ["--latency", "\($0)"] } ?? []
    let earlier = output.count
    let process = try NodeProcess(
      command + ["--id", "\(id)", "--address", "\(address)", "--directory", directory]
        + options + ["--supervised"],
      output: log)
    self.process.withLock { $0 = process }
    let deadline = ContinuousClock.now + .seconds(30)
    while !output.dropFirst(earlier).contains("serves") {
      guard process.isRunning else { throw NodeFailure("Node \(id) has ended:\n\(output)") }
      guard .now < deadline else { throw NodeFailure("Node \(id) does not start:\n\(output)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Ends the process as a power failure would, without a chance to write anything.
  package func kill() {
    let process = process.withLock { current in
      defer { current = nil }
      return current
    }
    process?.kill()
  }
}

/// A node cannot be started.
package struct NodeFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
