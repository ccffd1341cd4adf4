public import Dispatch
public import SluiceCore

/// A database that several nodes replicate, so that it survives the loss of a machine.
///
/// ```swift
/// let cluster = try Cluster(
///   nodes: ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "main")
/// try await migrator.migrate(cluster)
/// try await cluster.write { connection in
///   try connection.execute("INSERT INTO event(title) VALUES (\(title))")
/// }
/// let count = try await cluster.read { connection in
///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
/// }
/// ```
///
/// Each node is a process of the program `sluice-node`, which replicates with dqlite. A cluster of three nodes survives
/// the loss of one. It offers availability, not capacity: each node keeps the whole database in memory, and all
/// statements run on one thread of the leader.
///
/// A cluster is a ``DatabaseWriter``, so the code that uses a queue or a pool can use a cluster. If the leader fails, the
/// cluster finds the new one, and the body of a transaction that was not committed runs again there. A body must
/// therefore have no effect outside the database. If the answer to a commit is lost, the cluster finds out whether the
/// transaction was committed. If that is impossible, it throws ``ClusterError/outcomeUnknown(_:)``.
///
/// Reads run on the leader. A node that has lost its leadership without noticing answers with an old state until it
/// notices; ``confirmedRead(deadline:_:)`` excludes this.
///
/// The connection of a closure has no functions, collations, hooks and virtual tables in Swift, and no sessions, backups,
/// blobs in parts and snapshots: these throw ``ResultCode/misuse``. Statements that harm a node throw an error before
/// they are sent. Observation is not available.
public final class Cluster: Sendable {
  private let directory: NodeDirectory
  private let writer: ConnectionQueue
  private let readers: [ConnectionQueue]
  private let loads: Locked<[Int]>
  /// The options of the cluster.
  public let options: Options
  /// The name of the database.
  public let database: String

  /// Options for a ``Cluster``.
  public struct Options: Hashable, Sendable {
    /// The number of connections that read at the same time.
    public var readerCount = 4
    /// The time after which a request without an answer counts as lost.
    ///
    /// A statement that runs longer than an election of the cluster costs the leader its leadership.
    public var requestTimeout: Duration = .seconds(10)
    /// The time for which a call looks for a leader.
    public var failoverTimeout: Duration = .seconds(15)
    /// The time for which a transaction waits for those of other programs.
    public var busyTimeout: Duration = .seconds(5)

    /// Creates the default options.
    public init() {}
  }

  /// Creates a client of a cluster; connections are established when they are first needed.
  ///
  /// Not all nodes need to be listed, because the client asks the leader for the others.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.monitor = JSONLinesMonitor()
  /// configuration.codingStrategies.dates = .timeIntervalSince1970
  /// let cluster = try Cluster(
  ///   nodes: ["/run/sluice/door"], database: "main", configuration: configuration)
  /// ```
  ///
  /// - Parameters:
  ///   - nodes: The addresses of one or more nodes.
  ///   - database: The name of the database, which is created when it is first written.
  ///   - options: The limits of the cluster.
  ///   - configuration: A monitor, coding strategies and the sizes of the caches of statements. The duration of a
  ///     statement includes the wait for the leader. The counts of steps, sorts and full scans do not describe the work of
  ///     the leader.
  /// - Throws: ``ResultCode/misuse`` if there are no nodes, if the name of the database is empty or contains NUL, or if the
  ///   configuration has other settings, and ``ResultCode/range`` for options out of range.
  public init(
    nodes: [NodeAddress], database: String, options: Options = Options(),
    configuration: Configuration = Configuration()
  ) throws {
    guard !nodes.isEmpty else { throw SQLiteError(.misuse, "A cluster needs at least one node") }
    guard !database.isEmpty, !database.utf8.contains(0) else {
      throw SQLiteError(.misuse, "The database of a cluster must have a name without NUL")
    }
    guard 1...64 ~= options.readerCount else {
      throw SQLiteError(
        .range, "A cluster can have 1 to 64 readers (got \(options.readerCount))")
    }
    try Self.check(configuration)
    let limits = [options.requestTimeout, options.failoverTimeout, options.busyTimeout]
    guard limits.allSatisfy({ $0 >= .zero }) else {
      throw SQLiteError(.range, "The times of a cluster must not be negative")
    }
    self.options = options
    self.database = database
    let directory = NodeDirectory(nodes)
    self.directory = directory
    writer = try Self.queue("writer", directory, database, .writing, options, configuration)
    readers = try (0..<options.readerCount).map { index in
      try Self.queue("reader \(index)", directory, database, .reading, options, configuration)
    }
    loads = Locked(Array(repeating: 0, count: options.readerCount))
  }

  private static func queue(
    _ label: String, _ directory: NodeDirectory, _ database: String,
    _ access: ClusterSession.Access, _ options: Options, _ configuration: Configuration
  ) throws -> ConnectionQueue {
    var configuration = configuration
    // The local database has no tables.
    configuration.optimizesOnClose = false
    return try ConnectionQueue(label: "Cluster.\(label)") { [configuration] in
      let connection = try Connection(configuration: configuration)
      _ = try ClusterSession(connection, directory, database, access, options)
      return connection
    }
  }

  /// Throws for a setting of SQLite, which would concern only the local part of a connection.
  private static func check(_ configuration: Configuration) throws {
    var rest = configuration
    let plain = Configuration()
    rest.monitor = nil
    rest.clientState = nil
    rest.statementCacheSize = plain.statementCacheSize
    rest.liveStatementCacheSize = plain.liveStatementCacheSize
    guard rest == plain else {
      throw SQLiteError(
        .misuse,
        "The configuration of a cluster can have a monitor, coding strategies and sizes of caches, but no settings "
          + "of SQLite, because the database is in another process")
    }
  }
}

extension Cluster {
  /// Calls `body` with a connection to the leader that belongs to this call, while the writer does nothing else.
  func linked<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (_ link: LeaderLink) throws -> T
  ) async throws -> T {
    try await writer.perform(deadline: deadline) { [database, directory, options] connection in
      try body(LeaderLink(of: connection, to: database, in: directory, options))
    }
  }

  /// The same on the calling thread.
  @available(*, noasync)
  func syncLinked<T: Sendable>(
    deadline: ContinuousClock.Instant?, _ body: sending (_ link: LeaderLink) throws -> T
  ) throws -> T {
    try writer.sync(deadline: deadline) { connection in
      try body(LeaderLink(of: connection, to: database, in: directory, options))
    }
  }
}

extension Cluster: DatabaseWriter {
  /// Calls `body` with the connection that writes, and returns its result without blocking a thread.
  ///
  /// `body` does not run again if the leader fails, unlike the body of a transaction. A statement outside a transaction
  /// is sent again if it is certain that it had no effect.
  @discardableResult
  public func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(qos: qos, deadline: deadline, body)
  }

  /// Calls `body` with the connection that writes on the calling thread, and returns its result.
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try writer.sync(deadline: deadline, body)
  }

  /// Schedules a call of `body` with the connection that writes, and calls `completion` with the result.
  public func async<T: Sendable>(
    group: DispatchGroup?, qos: DispatchQoS,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)?
  ) {
    writer.async(group: group, qos: qos, body, completion: completion)
  }

  /// Runs `body` in a read transaction on the leader, and returns its result without blocking a thread.
  ///
  /// All queries in `body` see the same state of the database. Writing throws ``ResultCode/readOnly``. `body` runs again
  /// if the leader fails.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await reading { try await $0.transaction(.deferred, deadline: deadline, body) }
  }

  /// Runs `body` in a read transaction on the leader on the calling thread, and returns its result.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    let index = take()
    defer { giveBack(index) }
    return try readers[index].syncTransaction(.deferred, deadline: deadline, body)
  }

  /// Schedules `body` to run in a read transaction on the leader, and calls `completion` with the result.
  public func asyncRead<T: Sendable>(
    group: DispatchGroup?, qos: DispatchQoS,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)?
  ) {
    let index = take()
    readers[index].asyncTransaction(.deferred, group: group, qos: qos, body) { [self] result in
      giveBack(index)
      completion?(result)
    }
  }

  /// Runs `body` in a read transaction that is not stale, and returns its result without blocking a thread.
  ///
  /// `body` sees all changes that were acknowledged before the call. After it has returned, more than half of the voters
  /// confirm that the node that has answered leads them. This takes requests to other nodes.
  @discardableResult
  public func confirmedRead<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await reading { reader in
      try await reader.transaction(.deferred, deadline: deadline) { connection in
        let value = try body(&connection)
        try (connection.translator as? ClusterSession)?.confirm()
        return value
      }
    }
  }

  /// Calls `body` with the reader that has the fewest calls.
  private func reading<T: Sendable>(
    _ body: (_ reader: ConnectionQueue) async throws -> T
  ) async rethrows -> T {
    let index = take()
    defer { giveBack(index) }
    return try await body(readers[index])
  }

  /// Returns the index of the reader with the fewest calls, and counts a call.
  private func take() -> Int {
    loads.withLock { loads in
      let index = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      loads[index] += 1
      return index
    }
  }

  private func giveBack(_ index: Int) { loads.withLock { $0[index] -= 1 } }
}

extension Cluster {
  /// Closes the connections on the calling thread; `mode` determines how earlier calls are treated.
  ///
  /// Later calls throw ``ResultCode/misuseClosed``. If closing a connection fails, the others are closed nevertheless.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    let queues = readers + [writer]
    for queue in queues { try queue.observableAccess.refuseNested() }
    var failure: (any Error)?
    for queue in queues {
      do { try queue.syncClose(mode) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
