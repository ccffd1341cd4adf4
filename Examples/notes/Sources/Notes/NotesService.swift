public import Sluice

/// The part of a service that a web framework calls: one database file, its pool, and its life from start to shutdown.
///
/// ```swift
/// let service = try await NotesService(path: "notes.db")
/// let note = try await service.respond { notes in
///   try await notes.create(Draft(title: "Note G"))
/// }
/// for try await notes in try service.liveNotes() { print(notes.count) }
/// await service.shutDown(grace: .seconds(10))
/// ```
public final class NotesService: Sendable {
  private let pool: ConnectionPool
  /// The watch for writes by other processes, which ends when it is released.
  private let watch: DatabaseWatch
  private let monitor: ServiceMonitor
  private let gate = Gate()
  package let follower: IndexFollower
  private let following: Task<Void, Never>
  private let timeLimit: Duration

  /// Opens or creates the file, and migrates it to the newest schema.
  ///
  /// - Parameters:
  ///   - path: The path of the database file.
  ///   - timeLimit: The time after which a request ends with ``NotesError/timedOut``.
  ///   - configuration: The settings of the connections. The busy timeout must be shorter than the time limit, so
  ///     that a lock of another process ends a request with ``NotesError/unavailable(_:retryAfter:)``. If it is not,
  ///     the service uses half of the time limit.
  /// - Throws: A ``NotesError``.
  public init(
    path: String, timeLimit: Duration = .seconds(10), configuration: Configuration = Configuration()
  ) async throws {
    var configuration = configuration
    configuration.busyTimeout = Self.busyTimeout(configuration.busyTimeout, within: timeLimit)
    monitor = ServiceMonitor(reportingTo: configuration.monitor)
    configuration.monitor = monitor
    do {
      pool = try ConnectionPool(path: path, label: "notes", configuration: configuration)
      try await Schema.migrator().migrate(pool)
      watch = try pool.watchOtherWriters()
    } catch {
      throw NotesError(error)
    }
    let follower = IndexFollower(pool)
    self.follower = follower
    following = Task { await follower.run() }
    self.timeLimit = timeLimit
  }

  deinit { following.cancel() }

  /// Returns the timeout, or half of the time limit if the timeout is not shorter than the limit.
  package static func busyTimeout(_ timeout: Duration?, within timeLimit: Duration) -> Duration? {
    timeout.map { $0 < timeLimit ? $0 : timeLimit / 2 }
  }

  /// Answers one request: calls `body` with the notes, whose operations end at the deadline of the request.
  ///
  /// Each operation is a transaction of its own. An operation that throws ``NotesError/timedOut`` or
  /// ``NotesError/cancelled`` has changed nothing, and earlier operations of `body` remain committed.
  ///
  /// - Throws: A ``NotesError``.
  public func respond<Answer: Sendable>(
    within time: Duration? = nil, _ body: (_ notes: NotesStore) async throws -> Answer
  ) async throws -> Answer {
    try gate.enter()
    defer { gate.leave() }
    do {
      return try await body(NotesStore(database: pool, deadline: .now + (time ?? timeLimit)))
    } catch {
      throw NotesError(error)
    }
  }

  /// Returns the newest notes as a sequence, which a framework sends to the client as they arrive.
  public func liveNotes(limit: Int = 20) throws -> LiveNotes {
    guard gate.isOpen else { throw NotesError.shuttingDown }
    guard 1...100 ~= limit else {
      throw NotesError.invalid("A live list has 1 to 100 notes (got \(limit))")
    }
    return LiveNotes(
      publisher: pool.observeNewestNotes(limit: limit, offset: 0).removeDuplicates())
  }

  /// Returns the words of titles that begin with a prefix, from the index in memory.
  public func completions(of prefix: String) -> [String] { follower.index.completions(of: prefix) }

  /// Returns whether the service can answer requests.
  public func health() async -> Health {
    do {
      try await respond(within: .seconds(1)) { try await $0.checkHealth() }
      return Health(isHealthy: true)
    } catch {
      return Health(isHealthy: false, problem: "\(error)")
    }
  }

  public func metrics() -> Metrics {
    let index = follower.index
    return monitor.metrics(
      of: pool.status,
      index: Metrics.Index(
        notes: index.notes.count, words: index.wordCount, builds: follower.buildCount,
        isFollowing: follower.isFollowing, lastProblem: follower.lastProblem),
      runningRequests: gate.running)
  }

  /// Refuses new requests, lets running ones finish within the grace period, and closes the database.
  ///
  /// Operations that are still running then throw ``NotesError/shuttingDown``, and have changed nothing. Earlier
  /// operations of the same requests remain committed.
  public func shutDown(grace: Duration = .seconds(10)) async {
    await gate.close(waiting: grace)
    watch.cancel()
    following.cancel()
    // Ignore a failed checkpoint, because the next start finds the commits in the WAL.
    try? await pool.close(.interrupt)
  }
}
