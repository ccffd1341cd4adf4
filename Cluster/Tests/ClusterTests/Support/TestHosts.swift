import Foundation
import LocalNodes
import SluiceCluster
import Synchronization
import Testing

/// The hosts of a cluster whose nodes are on different hosts of a ``TestNetwork``.
///
/// Without keys, programs are on the host of the test process. With keys, each program has a host of its own with a
/// door, and the test process administers each node through a door on another host, with the keys of the node.
final class TestHosts: Sendable {
  /// Whether nodes use TLS.
  enum Security: String, CaseIterable, Sendable { case none, keys }

  let network: TestNetwork
  /// The hosts of the programs.
  let programs: [TestHost]
  /// The host from which the nodes are administered.
  private let office: TestHost
  private let keys: LocalKeys?
  private let folder: String
  private let state = Mutex(State())

  private struct State {
    var nodes: [UInt64: TestHost] = [:]
    /// The doors to each node.
    var doors: [UInt64: LocalDoor] = [:]
    /// The doors of the programs.
    var programDoors: [LocalDoor] = []
  }

  init(_ security: Security, folder: String) throws {
    self.folder = folder
    network = try TestNetwork()
    keys = security == .none ? nil : LocalKeys(folder: folder + "/keys")
    if security == .none {
      programs = [network.own]
      office = network.own
    } else {
      programs = [try network.addHost("program 1"), try network.addHost("program 2")]
      office = try network.addHost("office")
    }
  }

  /// Ends all doors, and deletes the network; the nodes must have ended.
  func end() {
    let doors = state.withLock { state in
      defer { state = State() }
      return Array(state.doors.values) + state.programDoors
    }
    for door in doors {
      if !door.isRunning { Issue.record("The door \(door.address) has ended: \(door.output)") }
      door.end()
    }
    network.close()
  }

  /// Adds the host of a node.
  func add(_ id: UInt64) throws -> TestHost {
    let host = try network.addHost("node \(id)")
    state.withLock { $0.nodes[id] = host }
    return host
  }

  /// Returns the options with which the node on a host starts.
  func options(_ host: TestHost) async throws -> [String] {
    guard let keys else { return ["--insecure"] }
    let address = try host.nodeAddress
    try await blocking { try keys.make(for: [address]) }
    return ["--keys", keys.node(address)]
  }

  /// Opens the door through which the test process reaches a node, if there are keys.
  func openDoor(to node: LocalNode) async throws {
    guard let keys else { return }
    let door = try await LocalDoor(
      to: [node.address], keys: keys.node(node.address), at: "\(folder)/door\(node.id)",
      launcher: office.launcher)
    state.withLock { $0.doors[node.id] = door }
  }

  /// Opens the doors of the programs, if there are keys.
  func openProgramDoors(to nodes: [NodeAddress]) async throws {
    guard let keys else { return }
    for (index, host) in programs.enumerated() {
      let door = try await LocalDoor(
        to: nodes, keys: keys.client, at: "\(folder)/program\(index)", launcher: host.launcher)
      state.withLock { $0.programDoors.append(door) }
    }
  }

  /// Returns the host of a node.
  func host(_ id: UInt64) throws -> TestHost {
    try #require(state.withLock { $0.nodes[id] }, "node \(id) has no host")
  }

  /// The address at which the test process reaches a node.
  func address(of node: LocalNode) -> NodeAddress {
    state.withLock { $0.doors[node.id]?.address } ?? node.address
  }

  /// The address of a program's door; nil if programs connect to the nodes.
  func door(ofProgram index: Int) -> NodeAddress? {
    state.withLock { $0.programDoors.isEmpty ? nil : $0.programDoors[index % 2].address }
  }

  /// Everything that the doors printed.
  var output: String {
    let doors = state.withLock { Array($0.doors.values) + $0.programDoors }
    return doors.map { "Door \($0.address): \($0.output)" }.joined(separator: "\n")
  }
}
