import SluiceCluster
import SluiceCore

/// Nodes on 127.0.0.1 that share one SQLite database, of which one is the leader.
///
/// ```swift
/// let cluster = try FakeCluster(nodes: 3)
/// cluster.plan(.dropAfter, times: 1) { $0.sql.hasSuffix("COMMIT") }
/// // … a client with cluster.addresses …
/// cluster.leader = 2
/// #expect(cluster.statements.contains { $0.sql.hasSuffix("COMMIT") })
/// ```
///
/// There is no replication: each statement is executed in one file. Like a real node, a node ends at SQL that must not
/// reach it, which ``deaths`` records.
final class FakeCluster: Sendable {
  /// A request that executes SQL, in the order in which the nodes received it.
  struct Statement: Sendable {
    let node: UInt64
    /// The number of the connection to that node.
    let connection: Int
    let sql: String
    let values: [DatabaseValue]
    /// Whether the client expects rows.
    let isQuery: Bool
  }

  /// A fault that a statement meets.
  enum Fault: Sendable {
    /// The connection ends before the statement is executed.
    case dropBefore
    /// The connection ends after the statement was executed, without an answer.
    case dropAfter
    /// The statement fails without being executed.
    case failure(Int, String)
    /// The statement is executed, but its answer is a failure.
    case failureAfter(Int, String)
    /// The statement is never answered, nor executed.
    case silence
    /// The node ends before the statement is executed.
    case crash

    /// The failure of a node that does not lead.
    static let notLeader = Fault.failure(10250, "not leader")
    /// The failure of a node that has lost the leadership, although the statement is executed.
    static let leadershipLost = Fault.failureAfter(10506, "leadership lost")
  }

  private let state: FakeClusterState

  /// Starts nodes with the ids 1, 2 …, of which the first one leads.
  init(nodes count: Int = 1) throws { state = try FakeClusterState(nodes: count) }

  deinit { state.stop() }

  /// The addresses of the nodes, in the order of their ids.
  var addresses: [NodeAddress] { members.compactMap { NodeAddress($0.address) } }

  /// The nodes, in the order of their ids.
  var members: [NodeMember] { state.members }

  /// The id of the node that leads; 0 if there is none.
  ///
  /// A change rolls the transactions of the previous leader's connections back.
  var leader: UInt64 {
    get { state.leader }
    set { state.leader = newValue }
  }

  /// The statements that the nodes received.
  var statements: [Statement] { state.statements }

  /// The reasons for which nodes ended.
  var deaths: [String] { state.deaths }

  /// Starts a node, which keeps the address that it had before.
  func start(_ id: UInt64) throws { try state.start(id) }

  /// Ends a node, as if its process had been killed; nobody leads if the node was the leader.
  func stop(_ id: UInt64) { state.stop(id) }

  /// Plans a fault of the next statements that match, after `skipped` others that match.
  func plan(
    _ fault: Fault, after skipped: Int = 0, times: Int = 1,
    when matches: @escaping @Sendable (Statement) -> Bool = { _ in true }
  ) {
    state.plan(fault, after: skipped, times: times, when: matches)
  }

  /// Forgets the planned faults.
  func cancelPlans() { state.cancelPlans() }

  /// The nodes that sent copies of the database, in order.
  var dumps: [UInt64] { state.dumps }

  /// Breaks the connections of clients that ask these nodes for a copy.
  func refuseDumps(of nodes: Set<UInt64>) { state.refuseDumps(of: nodes) }

  /// Changes the files of each copy before a node sends them.
  func alterDumps(_ alter: @escaping @Sendable (_ files: inout [DatabaseFile]) -> Void) {
    state.alterDumps(alter)
  }

  /// The files of the database: its content and its WAL.
  func files() throws -> [DatabaseFile] { try state.currentFiles("main") }

  /// The name and the content of a file.
  typealias DatabaseFile = (name: String, bytes: [UInt8])

  /// A connection of the test to the database.
  func connection() throws -> Connection { try state.connection() }
}
