import SluiceCore

/// A file system that fails on demand, registered under a name so that connections can use it.
///
/// ```swift
/// let files = try FaultyFileSystem()
/// let count = try files.failEachCall(with: .full) { attempt in
///   let path = "\(attempt.number).db"
///   let connection = try openBank(path, files.configuration())
///   let error = try attempt.failing { try transfer(30, in: connection) }
///   try connection.close()
///   let bank = try files.connection(path)
///   let sum = try bank.first(.column(.int), sql: "SELECT sum(amount) FROM account")
///   precondition(sum == 100, "\(error as Any)")
/// }
/// precondition(count > 0)
/// ```
///
/// Until a fault is armed, this file system forwards all calls to the file system that it wraps.
public final class FaultyFileSystem: Sendable {
  private let fuse: Fuse
  private let registered: RegisteredFileSystem

  /// Creates a file system that wraps `base`; the default is an in-memory file system.
  ///
  /// If `sleeps` is false, which is the default, the file system does not sleep, so that no code waits for a lock
  /// that is never released.
  public init(over base: any VirtualFileSystem = MemoryFileSystem(), sleeps: Bool = false) throws {
    let fuse = Fuse()
    self.fuse = fuse
    registered = try RegisteredFileSystem(
      WatchedFileSystem(over: base, sleeps: sleeps) { try fuse.pass($0) })
  }

  /// The name under which the file system is registered with SQLite.
  public var name: String { registered.name }

  /// Returns a copy of `configuration` that uses this file system.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    registered.configuration(configuration)
  }

  /// Opens a connection that uses this file system.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try registered.connection(path, configuration: configuration)
  }

  /// The number of calls of each kind since the last call of ``resetCallCounts()``.
  public var callCounts: [FileSystemCall: Int] { fuse.counts }

  /// Resets ``callCounts`` to zero.
  public func resetCallCounts() { fuse.resetCounts() }

  /// Makes a call fail: the one with this number among the calls that `fault` affects.
  ///
  /// Calls are counted from now on, starting at 1.
  public func arm(_ fault: FileFault, atCall number: Int = 1) { fuse.arm(fault, number) }

  /// Makes all calls succeed again, and returns the first call that failed since the fault was armed.
  @discardableResult
  public func disarm() -> FileSystemCall? { fuse.disarm() }

  /// Runs `body` repeatedly, each time with a different failing call, until every call has failed once.
  ///
  /// `body` prepares the test, and passes the tested code to ``FaultAttempt/failing(_:)``. If there are many
  /// calls, use a `step` larger than 1 to skip some of them.
  ///
  /// - Returns: The number of calls that failed. If it is 0, nothing was tested: the tested code does not use
  ///   this file system, or makes no calls that the fault affects.
  /// - Throws: ``ResultCode/misuse`` if another such loop is running.
  public func failEachCall(
    with fault: FileFault = .error(), step: Int = 1, _ body: (FaultAttempt) throws -> Void
  ) throws -> Int {
    var rounds = try beginRounds(fault, step)
    defer { fuse.endLoop() }
    return try rounds.run(body)
  }

  /// Runs an asynchronous `body` repeatedly, like ``failEachCall(with:step:_:)``.
  ///
  /// ```swift
  /// let rounds = try await files.failEachCall(with: .full) { attempt in
  ///   let path = "bank \(attempt.number).db"
  ///   try openBank(path, files.configuration()).close()
  ///   let pool = try ConnectionPool(path: path, configuration: files.configuration())
  ///   let error = try await attempt.failing { try await transfer(30, in: pool) }
  ///   let sum = try await pool.read { connection in
  ///     try connection.first(.column(.int), sql: "SELECT sum(amount) FROM account")
  ///   }
  ///   precondition(sum == 100, "\(error as Any)")
  ///   try await pool.close()
  /// }
  /// ```
  @_disfavoredOverload  // A body without `await` uses the synchronous overload.
  public func failEachCall(
    isolation: isolated (any Actor)? = #isolation, with fault: FileFault = .error(),
    step: Int = 1, _ body: (FaultAttempt) async throws -> Void
  ) async throws -> Int {
    var rounds = try beginRounds(fault, step)
    defer { fuse.endLoop() }
    return try await rounds.run(isolation: isolation, body)
  }

  private func beginRounds(_ fault: FileFault, _ step: Int) throws -> FaultRounds {
    let rounds = try FaultRounds(
      step: step, arm: { [fuse] in fuse.arm(fault, $0) },
      disarm: { [fuse] in fuse.disarm()?.rawValue })
    guard fuse.beginLoop() else { throw FaultRounds.nested }
    return rounds
  }
}
