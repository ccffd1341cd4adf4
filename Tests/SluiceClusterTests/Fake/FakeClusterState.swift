import SluiceCluster
import SluiceCore
import TestSupport
import Testing

/// The nodes, statements and faults of a ``FakeCluster``, which its sessions retain.
final class FakeClusterState: Sendable {
  private struct Plan {
    let fault: FakeCluster.Fault
    let matches: @Sendable (FakeCluster.Statement) -> Bool
    /// The number of matching statements before the first one that meets the fault.
    var skipped: Int
    var times: Int
  }

  private struct State {
    var leader: UInt64 = 1
    var term = 1
    var members: [UInt64: NodeMember] = [:]
    var nodes: [UInt64: FakeNode] = [:]
    /// The nodes that ended on threads of their own.
    var crashed: [FakeNode] = []
    var statements: [FakeCluster.Statement] = []
    var plans: [Plan] = []
    var deaths: [String] = []
    var sessions: [FakeClusterSession] = []
    var dumps: [UInt64] = []
    var refusedDumps: Set<UInt64> = []
    var alterDumps: @Sendable (inout [FakeCluster.DatabaseFile]) -> Void = { _ in }
  }

  private let folder: TestFolder
  private let state = Locked(State())
  /// A connection that keeps the WAL, which the last session to end would delete while another one begins.
  private let firstConnection: Locked<Connection>

  /// Starts nodes with the ids 1, 2 …, of which the first one leads.
  init(nodes count: Int) throws {
    folder = try TestFolder()
    firstConnection = Locked(try Self.connection(to: folder))
    for id in 1...UInt64(count) { try start(id) }
  }

  func stop() {
    for node in state.withLock({ Array($0.nodes.values) + $0.crashed }) { node.stop() }
    state.withLock { state in
      state.nodes = [:]
      state.crashed = []
    }
  }

  /// The nodes, in the order of their ids.
  var members: [NodeMember] {
    state.withLock { $0.members.values.sorted { $0.id < $1.id } }
  }

  /// The id of the node that leads; 0 if there is none.
  ///
  /// A change rolls the transactions of the previous leader's connections back.
  var leader: UInt64 {
    get { state.withLock { $0.leader } }
    set {
      let sessions = state.withLock { state in
        state.leader = newValue
        state.term += 1
        return state.sessions
      }
      for session in sessions { session.rollBack() }
    }
  }

  /// The statements that the nodes received.
  var statements: [FakeCluster.Statement] { state.withLock { $0.statements } }

  /// The reasons for which nodes ended.
  var deaths: [String] { state.withLock { $0.deaths } }

  /// Starts a node, which keeps the address that it had before.
  func start(_ id: UInt64) throws {
    // The port is free when all threads of the previous node have ended.
    for node in state.withLock({ $0.crashed }) { node.stop() }
    let port = state.withLock { $0.members[id].flatMap { NodeAddress($0.address)?.endpoint?.port } }
    let node = try FakeNode(port: port ?? 0) { [self] number in
      try FakeClusterSession(self, node: id, connection: number)
    }
    state.withLock { state in
      state.nodes[id] = node
      state.members[id] = NodeMember(id: id, address: node.address.description, role: .voter)
    }
  }

  /// Ends a node, as if its process had been killed; nobody leads if the node was the leader.
  func stop(_ id: UInt64) {
    if leader == id { leader = 0 }
    let node = state.withLock { $0.nodes.removeValue(forKey: id) }
    node?.stop()
  }

  /// Plans a fault of the next statements that match, after `skipped` others that match.
  func plan(
    _ fault: FakeCluster.Fault, after skipped: Int, times: Int,
    when matches: @escaping @Sendable (FakeCluster.Statement) -> Bool
  ) {
    state.withLock {
      $0.plans.append(Plan(fault: fault, matches: matches, skipped: skipped, times: times))
    }
  }

  /// Forgets the planned faults.
  func cancelPlans() { state.withLock { $0.plans = [] } }

  /// A connection of the test to the database.
  func connection() throws -> Connection { try Self.connection(to: folder) }

  private static func connection(to folder: TestFolder) throws -> Connection {
    var configuration = Configuration.sqliteDefaults
    configuration.busyTimeout = nil
    configuration.foreignKeys = true
    configuration.journalMode = .wal
    configuration.synchronous = .off
    let connection = try Connection(path: folder.file("cluster.db"), configuration: configuration)
    try connection.execute(sql: "SELECT count(*) FROM sqlite_schema")
    return connection
  }
}

/// The part of a cluster that its sessions use.
extension FakeClusterState {
  /// The number that changes with the leader.
  var term: Int { state.withLock { $0.term } }

  func join(_ session: FakeClusterSession) { state.withLock { $0.sessions.append(session) } }

  func leave(_ session: FakeClusterSession) {
    state.withLock { $0.sessions.removeAll { $0 === session } }
  }

  func change(_ id: UInt64, to member: NodeMember?) { state.withLock { $0.members[id] = member } }

  /// Records a statement, and returns the fault that it meets.
  func receive(_ statement: FakeCluster.Statement) -> FakeCluster.Fault? {
    state.withLock { state in
      state.statements.append(statement)
      for index in state.plans.indices where state.plans[index].matches(statement) {
        guard state.plans[index].skipped == 0 else {
          state.plans[index].skipped -= 1
          continue
        }
        let fault = state.plans[index].fault
        state.plans[index].times -= 1
        if state.plans[index].times == 0 { state.plans.remove(at: index) }
        return fault
      }
      return nil
    }
  }

  /// Ends a node for a reason that would end a real one.
  func crash(_ id: UInt64, _ reason: String?) {
    if leader == id { leader = 0 }
    let node = state.withLock { state in
      if let reason { state.deaths.append(reason) }
      let node = state.nodes.removeValue(forKey: id)
      if let node { state.crashed.append(node) }
      return node
    }
    node?.crash()
  }

  /// The files that a node sends as a copy of the database; nil if it refuses.
  func dump(_ name: String, of node: UInt64) throws -> [FakeCluster.DatabaseFile]? {
    let alter = state.withLock { state in
      guard !state.refusedDumps.contains(node) else {
        return nil as (@Sendable (inout [FakeCluster.DatabaseFile]) -> Void)?
      }
      state.dumps.append(node)
      return state.alterDumps
    }
    guard let alter else { return nil }
    var files = try currentFiles(name)
    alter(&files)
    return files
  }
}

/// Copies of the database.
extension FakeClusterState {
  var dumps: [UInt64] { state.withLock { $0.dumps } }

  func refuseDumps(of nodes: Set<UInt64>) { state.withLock { $0.refusedDumps = nodes } }

  func alterDumps(_ alter: @escaping @Sendable (inout [FakeCluster.DatabaseFile]) -> Void) {
    state.withLock { $0.alterDumps = alter }
  }

  /// The files of the database.
  func currentFiles(_ name: String) throws -> [FakeCluster.DatabaseFile] {
    try ["", "-wal"].map { (name + $0, try folder.bytes("cluster.db" + $0)) }
  }
}
