import SluiceCore

/// A file system that fails when it is told to, and has a name to open connections with.
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
/// Until it is armed, it does what the one behind it does.
public final class FaultyFileSystem: Sendable {
  private let fuse: Fuse
  private let registered: RegisteredFileSystem

  /// Stands before another file system, by itself one in memory.
  ///
  /// It does not sleep, so that nobody waits for a lock that is never given back; with `sleeps` it does.
  public init(over base: any VirtualFileSystem = MemoryFileSystem(), sleeps: Bool = false) throws {
    let fuse = Fuse()
    self.fuse = fuse
    registered = try RegisteredFileSystem(
      WatchedFileSystem(over: base, sleeps: sleeps) { try fuse.pass($0) })
  }

  /// The name that SQLite has for it.
  public var name: String { registered.name }

  /// The same configuration, for a connection that uses this file system.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    registered.configuration(configuration)
  }

  /// Opens a connection that uses this file system.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try registered.connection(path, configuration: configuration)
  }

  /// How many calls of each kind there were since ``resetCallCounts()``.
  public var callCounts: [FileSystemCall: Int] { fuse.counts }

  /// Begins to count anew.
  public func resetCallCounts() { fuse.resetCounts() }

  /// Lets the call of this number fail that the fault is about, from now on and from 1 on.
  public func arm(_ fault: FileFault, atCall number: Int = 1) { fuse.arm(fault, number) }

  /// Lets nothing fail any more, and returns the first call that has failed since it was armed.
  @discardableResult
  public func disarm() -> FileSystemCall? { fuse.disarm() }

  /// Runs `body` again and again, with another call failing each time, until all have.
  ///
  /// The body makes what it needs, and calls ``FaultAttempt/failing(_:)`` with what is tested. It returns how many
  /// calls have failed, which is 0 if what was tested has nothing to do with this file system, or makes no such
  /// calls: then nothing was tested. A larger `step` leaves some out, where there are many. A loop inside of a loop
  /// throws ``ResultCode/misuse``.
  public func failEachCall(
    with fault: FileFault = .error(), step: Int = 1, _ body: (FaultAttempt) throws -> Void
  ) throws -> Int {
    var rounds = try beginRounds(fault, step)
    defer { fuse.endLoop() }
    return try rounds.run(body)
  }

  /// Runs `body`, which waits for others, again and again, as ``failEachCall(with:step:_:)`` does.
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
  @_disfavoredOverload  // A body that does not wait takes the other one, also where it could.
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
