public import CSluice
import Dispatch
public import Synchronization

/// A connection, and the line of the calls that want it.
///
/// A call that comes after another gets the connection after it. The lock lets one in at a time,
/// the dispatch queue keeps the jobs in order, and the count of those that wait there tells a
/// synchronous call how to go in: past an empty line straight to the lock, else to its end.
///
/// What each synchronous call does is compiled into the module that calls, together with its body.
@usableFromInline final class ConnectionLine: Sendable {
  @usableFromInline typealias Body<T> = (inout sending Connection) throws -> T

  @usableFromInline let connection: Locked<Connection>
  /// How many calls have been promised a place behind those that came before them.
  @usableFromInline let waiting = Atomic(0)
  /// The thread that has the connection, or 0.
  @usableFromInline let holder = Atomic<UInt>(0)
  /// The thread that runs a job, or releases what one has left behind, or 0.
  @usableFromInline let jobThread = Atomic<UInt>(0)
  /// Whether a body has put another connection in place of the line's own.
  @usableFromInline let isReplaced = Atomic(false)
  /// Who is told of what is committed here.
  let commits = CommitCenter()
  /// The path of the main database, or nil if it is no file.
  let path: String?
  private let number: UInt64
  private let jobs: DispatchQueue
  /// Completions run apart from the jobs, and from their target, so that they can wait for a job.
  private let completions: DispatchQueue
  /// Whether a transaction may stay open from one call to the next.
  private let keepsTransactions: Bool

  init(
    label: String, qos: DispatchQoS, target: DispatchQueue?, keepsTransactions: Bool = false,
    _ connection: sending Connection
  ) {
    number = connection.number
    path = connection.path().flatMap { $0.isEmpty ? nil : $0 }
    self.keepsTransactions = keepsTransactions
    jobs = DispatchQueue(label: label, qos: qos, target: target)
    completions = DispatchQueue(label: label + ".completions", qos: qos)
    self.connection = Locked(connection)
  }

  deinit {
    // Nobody is left to hear of a failure; the connection closes all the same.
    connection.withLock { connection in try? connection.close() }
  }

  /// Lends the connection on the calling thread.
  @inlinable @inline(__always)
  func sync<T: Sendable>(_ body: Body<T>) throws -> T {
    let thread = sluice_current_thread()
    guard holder.load(ordering: .relaxed) != thread else { throw nested }
    // What a job leaves behind, which is released before the next one, cannot wait in line.
    guard waiting.load(ordering: .acquiring) == 0 || jobThread.load(ordering: .relaxed) == thread
    else { return try syncInLine(body) }
    return try lend(to: thread, body)
  }

  /// Lends the connection on the calling thread, after those that wait in line.
  @usableFromInline
  func syncInLine<T: Sendable>(_ body: Body<T>) throws -> T {
    waiting.add(1, ordering: .acquiringAndReleasing)
    return try jobs.sync { try lendLeavingLine(body) }
  }

  /// Lends the connection later, and hands on what came of it from the queue of the jobs.
  func async<T: Sendable>(
    qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    waiting.add(1, ordering: .acquiringAndReleasing)
    nonisolated(unsafe) var job: (() -> Void)? = { [self] in
      result(Result { try lendLeavingLine(body) })
    }
    jobs.async(qos: qos) { [self] in
      jobThread.store(sluice_current_thread(), ordering: .relaxed)
      unsafe job?()
      // Dispatch would release it only when nobody can tell any more whose job it was.
      unsafe job = nil
      jobThread.store(0, ordering: .relaxed)
    }
  }

  /// Lends the connection later, and calls `completion` where it may use this line again.
  func async<T: Sendable>(
    group: DispatchGroup?, qos: DispatchQoS,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    group?.enter()
    async(qos: qos, body) { [completions] result in
      completions.async(qos: qos) {
        completion(result)
        group?.leave()
      }
    }
  }

  /// Calls `body` where completions are called, after those that wait there.
  func afterCompletions(_ body: @escaping @Sendable () -> Void) { completions.async(execute: body) }

  /// Lends the connection later, and lets the calling task wait without blocking a thread.
  func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      async(qos: qos, body) { continuation.resume(with: $0) }
    }
  }

  private func lendLeavingLine<T: Sendable>(_ body: Body<T>) throws -> T {
    try lend(to: sluice_current_thread(), leavingLine: true, body)
  }

  /// Lends the connection to the calling thread, when it is its turn.
  @inlinable @inline(__always)
  func lend<T: Sendable>(
    to thread: UInt, leavingLine: Bool = false, _ body: Body<T>
  ) throws -> T {
    try connection.withLock { connection in
      if leavingLine { waiting.subtract(1, ordering: .acquiringAndReleasing) }
      guard !isReplaced.load(ordering: .relaxed) else { throw replaced }
      holder.store(thread, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      let value: T
      do { value = try body(&connection) } catch {
        finishFailed(&connection)
        throw error
      }
      try finish(&connection)
      return value
    }
  }

  /// Looks after a body has returned whether it has left the connection as it was.
  @usableFromInline
  func finish(_ connection: inout sending Connection) throws {
    // The old connection may be in use elsewhere, so it cannot be taken back.
    guard connection.number == number else {
      isReplaced.store(true, ordering: .relaxed)
      throw replaced
    }
    guard try !endTransaction(on: &connection) else {
      throw SQLiteError(.misuse, "The body has left a transaction open, which is rolled back")
    }
  }

  /// Cleans up after a body that has failed, whose error is the one to report.
  @usableFromInline @inline(never)
  func finishFailed(_ connection: inout sending Connection) {
    guard connection.number == number else {
      return isReplaced.store(true, ordering: .relaxed)
    }
    _ = try? endTransaction(on: &connection)
  }

  /// Rolls back what a body has left open, which would swallow the work of those who come next;
  /// true if there was something.
  @inline(__always)
  private func endTransaction(on connection: inout sending Connection) throws -> Bool {
    guard !keepsTransactions,
      connection.callbacks.standingWriters > 0 || !connection.isInAutocommit
    else { return false }
    return try endAll(on: &connection)
  }

  @inline(never)
  private func endAll(on connection: inout sending Connection) throws -> Bool {
    // The rollback comes first: no statement that fails to end may keep it from happening.
    let isOpen = !connection.isInAutocommit
    if isOpen { try connection.callbacks.cleaningUp { try connection.rollback() } }
    var failure: (any Error)?
    for statement in connection.writers {
      do { try statement.end() } catch { failure = failure ?? error }
    }
    if let failure, !isOpen { throw failure }
    return isOpen
  }

  @usableFromInline var nested: SQLiteError {
    @inline(never) get {
      SQLiteError(
        .misuse, "The queue is in use by this very call: use the connection that it has lent")
    }
  }

  @usableFromInline var replaced: SQLiteError {
    @inline(never) get {
      SQLiteError(
        .misuse,
        "A body has put another connection in place of the queue's, which is closed for good")
    }
  }
}
