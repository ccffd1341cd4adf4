import Foundation
import LocalNodes
import SluiceCluster
import Synchronization
import Testing

/// A cluster of nodes in processes of their own, on addresses of this machine, or on hosts of a ``TestNetwork``.
///
/// The processes and the data exist as long as ``with(nodes:latency:options:relayed:diskSize:hosts:_:)`` runs. A node
/// that ends without a request of the test fails the test, with everything that it printed.
final class TestCluster: Sendable {
  /// The longest time that the tests wait for anything.
  static let patience = LocalNode.patience

  private let folder: String
  private let host = LocalHost()
  private let latency: Int
  /// Whether each node is behind a ``TestRelay``.
  private let isRelayed: Bool
  /// The hosts of the nodes; nil if all are on this one.
  private let ownHosts: TestHosts?
  private let relays = Mutex<[UInt64: TestRelay]>([:])
  private let disks = Mutex<[UInt64: SmallDisk]>([:])
  private let nodes = Mutex<[UInt64: LocalNode]>([:])
  /// The highest id that a node ever had.
  private let lastID = Atomic<UInt64>(0)

  /// The keys of the nodes; nil without TLS.
  private let keys: LocalKeys?
  /// The door of a node's keys, with which the tests reach the nodes.
  private let door = Mutex<LocalDoor?>(nil)
  /// The addresses of the next nodes, which the door knows.
  private let reserved = Mutex<[NodeAddress]>([])

  private init(
    latency: Int, isRelayed: Bool, usesTLS: Bool, _ security: TestHosts.Security?
  ) throws {
    self.latency = latency
    self.isRelayed = isRelayed
    folder = FileManager.default.temporaryDirectory.path + "/sluice-nodes-\(UUID())"
    keys = usesTLS ? LocalKeys(folder: folder + "/keys") : nil
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    ownHosts = try security.map { [folder] in try TestHosts($0, folder: folder) }
  }

  // A folder that remains is temporary.
  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Starts a cluster, calls `body` when all of its nodes are voters, and ends all of its processes.
  static func with<T>(
    nodes count: Int = 3, latency: Int = 20, options: [String] = [], relayed: Bool = false,
    diskSize: Int? = nil, usesTLS: Bool = false, hosts: TestHosts.Security? = nil,
    _ body: (TestCluster) async throws -> T
  ) async throws -> T {
    let cluster = try TestCluster(latency: latency, isRelayed: relayed, usesTLS: usesTLS, hosts)
    defer { cluster.endAll() }
    do {
      if usesTLS { try cluster.reserveAddresses(count) }
      for _ in 0..<count { try await cluster.add(options, diskSize: diskSize) }
      try await cluster.ownHosts?.openProgramDoors(to: cluster.all.map(\.address))
      return try await body(cluster)
    } catch {
      Issue.record("\(error)\n\(cluster.output)")
      throw error
    }
  }

  /// The nodes that were not removed, in the order of their ids.
  var all: [LocalNode] { nodes.withLock { $0.values.sorted { $0.id < $1.id } } }

  /// The ids of the nodes that were not removed.
  var ids: [UInt64] { all.map(\.id) }

  /// The addresses at which the test process reaches the nodes that were not removed.
  var addresses: [NodeAddress] { all.map { address(of: $0) } }

  /// The address at which the test process reaches a node.
  func address(of node: LocalNode) -> NodeAddress { ownHosts?.address(of: node) ?? node.address }

  /// The addresses at which a program reaches the nodes.
  func addresses(ofProgram index: Int) -> [NodeAddress] {
    ownHosts?.door(ofProgram: index).map { [$0] } ?? addresses
  }

  /// The hosts of the nodes.
  var hosts: TestHosts {
    get throws { try #require(ownHosts, "all nodes are on the host of the test process") }
  }

  /// An administrator that knows the addresses of the nodes.
  var administrator: ClusterAdministrator { ClusterAdministrator(nodes: clientAddresses) }

  /// The addresses with which clients reach the nodes: with TLS, that of a door.
  var clientAddresses: [NodeAddress] { door.withLock { $0.map { [$0.address] } } ?? addresses }

  /// Everything that the nodes printed.
  var output: String {
    let nodes = all.map { "Node \($0.id): \($0.output)" }
    return (nodes + [ownHosts?.output ?? ""]).joined(separator: "\n")
  }

  /// Returns the node with an id.
  func node(_ id: UInt64) throws -> LocalNode {
    try #require(nodes.withLock { $0[id] }, "there is no node \(id)")
  }

  private func endAll() {
    for node in all { node.end() }
    door.withLock { $0 }?.end()
    for relay in relays.withLock({ $0.values }) { relay.close() }
    for disk in disks.withLock({ Array($0.values) }) { disk.remove() }
    ownHosts?.end()
  }
}

// The members.
extension TestCluster {
  /// Starts a new node with further options of `sluice-node`, waits until it is a voter, and returns its id.
  @discardableResult
  func add(_ options: [String] = [], diskSize: Int? = nil) async throws -> UInt64 {
    let known = all.map(\.address)
    let id = lastID.add(1, ordering: .relaxed).newValue
    let host = try ownHosts?.add(id)
    let kept = reserved.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    var address = try kept ?? host?.nodeAddress ?? newAddress()
    var options = ["--latency", "\(latency)"] + options
    if let host, let ownHosts { options += try await ownHosts.options(host) }
    if isRelayed {
      options += ["--listen", "\(address)"]
      let relay = try TestRelay(at: newAddress(), to: address)
      relays.withLock { $0[id] = relay }
      address = relay.address
    }
    if let diskSize {
      let disk = try SmallDisk(at: path("\(id)"), megabytes: diskSize)
      disks.withLock { $0[id] = disk }
    }
    if let keys {
      try keys.make(for: [address])
      options += ["--keys", keys.node(address)]
    }
    let node = LocalNode(
      id: id, address: address, directory: path("\(id)"), options: options,
      launcher: host?.launcher ?? [])
    nodes.withLock { $0[id] = node }
    try await node.start(joining: known)
    try await openDoor(address)
    try await ownHosts?.openDoor(to: node)
    return id
  }

  /// Chooses the addresses of the first nodes, because a door knows addresses from its start.
  private func reserveAddresses(_ count: Int) throws {
    let addresses = try (0..<count).map { _ in try newAddress() }
    reserved.withLock { $0 = addresses }
  }

  /// Starts the door of the tests after the first node, if the nodes use TLS.
  private func openDoor(_ first: NodeAddress) async throws {
    guard let keys, door.withLock({ $0 == nil }) else { return }
    let door = try await LocalDoor(
      to: [first] + reserved.withLock { $0 }, keys: keys.node(first), at: path("door"))
    self.door.withLock { $0 = door }
  }

  /// The keys of the nodes and of the client `web`.
  func secrets() throws -> LocalKeys { try #require(keys, "the nodes do not use TLS") }

  /// An address that no process uses.
  func newAddress() throws -> NodeAddress { try host.newAddress() }

  /// A path in the folder that is deleted with the cluster.
  func path(_ name: String) -> String { folder + "/" + name }

  /// Returns the file system of a node's data.
  func disk(_ id: UInt64) throws -> SmallDisk {
    try #require(disks.withLock { $0[id] }, "node \(id) has no file system of its own")
  }

  /// Removes a node from the cluster, and ends its process.
  func remove(_ id: UInt64) async throws {
    let administrator = self.administrator
    try await blocking { try administrator.remove(id, deadline: .now + Self.patience) }
    try await kill(id)
    nodes.withLock { $0[id] = nil }
  }

  /// Forgets nodes that ended, and that never run again.
  func forget(_ ids: [UInt64]) {
    nodes.withLock { nodes in nodes = nodes.filter { !ids.contains($0.key) } }
  }

  /// Makes a node the leader.
  func transfer(to id: UInt64) async throws {
    let administrator = self.administrator
    try await blocking { try administrator.transfer(to: id, deadline: .now + Self.patience) }
    try await wait("node \(id) leads") { try await self.leader() == id }
  }
}

// The processes.
extension TestCluster {
  /// Ends a node as a power failure would, without a chance to write anything.
  func kill(_ id: UInt64) async throws {
    let node = try node(id)
    await blocking { node.end() }
  }

  /// Ends a node by SIGTERM, and returns its exit status.
  func terminate(_ id: UInt64) async throws -> Int32 {
    let node = try node(id)
    return try await blocking { try node.terminate() }
  }

  /// Stops the process of a node until ``resume(_:)``; the system still accepts connections for it.
  func pause(_ id: UInt64) throws { try node(id).signal(SIGSTOP) }

  /// Continues the process of a node.
  func resume(_ id: UInt64) throws { try node(id).signal(SIGCONT) }

  /// Waits for the end of a node that ends without a request of the test, and returns its exit status, or the negative
  /// signal.
  func waitForEnd(_ id: UInt64) async throws -> Int32 {
    let node = try node(id)
    return try await blocking { try node.waitForEnd() }
  }

  /// Starts a node that ended.
  func restart(_ id: UInt64) async throws { try await node(id).start() }
}

extension TestCluster {
  /// Starts the nodes again that ended because of a full disk or an error of dqlite, and counts them.
  ///
  /// Version 1.11.1 ends with a segmentation fault if the disk of the leader is full, and sometimes if a statement has
  /// taken longer than an election.
  func restartEnded(_ figure: Figures.Count) async throws {
    for node in all where !node.isRunning {
      _ = try await waitForEnd(node.id)
      Figures.add(to: figure)
      try await restart(node.id)
    }
  }
}

// The network, if the nodes are behind relays.
extension TestCluster {
  /// The direction of the bytes between a node and the others.
  enum Direction: CaseIterable { case fromNode, toNode, both }

  /// Holds back everything that a node and the other nodes send to each other in a direction.
  func isolate(_ id: UInt64, _ direction: Direction = .both) throws {
    for other in ids where other != id {
      if direction != .toNode { try relay(other).block(.node(id)) }
      if direction != .fromNode { try relay(id).block(.node(other)) }
    }
  }

  /// Ends all failures of the network.
  func restoreNetwork() throws {
    for id in ids {
      for source in ids { try relay(id).restore(.node(source)) }
    }
  }

  /// Returns the relay in front of a node.
  func relay(_ id: UInt64) throws -> TestRelay {
    try #require(relays.withLock { $0[id] }, "node \(id) is not behind a relay")
  }
}

// The waits.
extension TestCluster {
  /// Waits for a leader other than a node that ended or was cut off, and returns its id.
  @discardableResult
  func leader(otherThan other: UInt64? = nil) async throws -> UInt64 {
    let others = all.filter { $0.id != other }.map { address(of: $0) }
    let nodes = keys == nil ? others : clientAddresses
    return try await ClusterAdministrator(nodes: nodes).leader(otherThan: other).id
  }

  /// Waits until all nodes are voters that know the same leader and the same members.
  func waitUntilComplete() async throws {
    try await administrator.waitUntilComplete(ids.count)
  }

  /// Waits until a condition is true, and throws if that takes too long.
  func wait(
    _ description: String, within limit: Duration = patience,
    until condition: () async throws -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
      try #require(ContinuousClock.now < deadline, "waited too long until \(description)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
