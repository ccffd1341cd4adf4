import Foundation
package import SluiceCluster

/// A door on this machine, and its process.
package final class LocalDoor: Sendable {
  /// The address of the door, with which clients reach the nodes.
  package let address: NodeAddress
  private let process: NodeProcess
  private let log: String

  /// Starts a door, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - nodes: The addresses of nodes.
  ///   - keys: The folder of the keys of a node or client.
  ///   - path: The path of the door's socket; the output of the process is next to it.
  ///   - launcher: A command that starts the program by replacing itself; none by default.
  /// - Throws: ``NodeFailure`` if the process ends, or does not start in time.
  package init(
    to nodes: [NodeAddress], keys: String, at path: String, launcher: [String] = []
  ) async throws {
    guard let address = NodeAddress(path) else { throw NodeFailure("\(path) is too long") }
    self.address = address
    log = path + ".log"
    process = try NodeProcess(
      ["door", "--keys", keys, "--socket", path, "--supervised"] + nodes.map(\.description),
      output: log, launcher: launcher)
    let deadline = ContinuousClock.now + LocalNode.patience
    while !output.contains("serves") {
      guard process.isRunning, .now < deadline else {
        throw NodeFailure("The door does not start:\n\(output)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Everything that the process has printed.
  package var output: String {
    // Before the start of the process, there is no file.
    (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
  }

  package var isRunning: Bool { process.isRunning }

  package func end() { process.kill() }
}

/// The keys of a cluster on this machine.
package struct LocalKeys: Sendable {
  /// The folder that `sluice-node keys` has made.
  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// Makes the keys of nodes, and those of the client `web` if there are none.
  package func make(for nodes: [NodeAddress]) throws {
    let client = FileManager.default.fileExists(atPath: self.client) ? [] : ["--client", "web"]
    let process = try NodeProcess(
      ["keys", "--directory", folder] + nodes.flatMap { ["--node", $0.description] } + client,
      output: folder + ".log")
    guard process.wait(LocalNode.patience) == 0 else { throw NodeFailure("No keys were made") }
  }

  /// The folder of the client `web`.
  package var client: String { folder + "/client-web" }

  /// The folder of a node.
  package func node(_ address: NodeAddress) -> String {
    folder + "/node-" + address.description.replacing(":", with: "-")
  }
}
