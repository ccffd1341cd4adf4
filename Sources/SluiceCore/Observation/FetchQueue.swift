import Synchronization

/// The live queries that wait to fetch from one source of connections.
///
/// They share accesses and transactions, which cost more than a small query.
final class FetchQueue: Sendable {
  private struct State {
    /// The queries for which subscriptions wait.
    var waiting: [LiveQuery] = []
    /// The number of accesses that fetch, or are about to.
    var accesses = 0
    /// The jobs of the accesses that are about to fetch.
    var jobs: [Job] = []
    /// The fetches of the accesses that fetch now.
    var batches: [FetchBatch] = []
    /// The fetches whose results are about to be delivered.
    var delivering: [QueryFetch] = []
    /// The queries that have subscriptions, by their identities.
    var shared: [QueryIdentity: Shared] = [:]

    /// Whether the accesses that have not begun are too few for the queries that wait.
    ///
    /// There are enough for all of them, because a queue that closes runs only the accesses that already wait.
    func needsAccess(_ limit: Int) -> Bool {
      !waiting.isEmpty && (accesses < limit || waiting.count > jobs.count * FetchQueue.share)
    }
  }

  private struct Shared {
    let query: LiveQuery
    var subscriptions = 0
  }

  private let state = Locked(State())
  /// The number of connections.
  private let limit: Int
  /// The largest number of queries in an access.
  private static let share = 64

  init(limit: Int) { self.limit = limit }

  /// Returns the query to subscribe to: the one with the same identity that has subscriptions, or else this one.
  func join(_ query: LiveQuery) -> LiveQuery {
    guard let identity = query.identity else { return query }
    return state.withLock { state in
      let shared = state.shared[identity] ?? Shared(query: query)
      state.shared[identity] = Shared(query: shared.query, subscriptions: shared.subscriptions + 1)
      return shared.query
    }
  }

  /// Ends a subscription to a query that `join(_:)` has returned.
  func leave(_ query: LiveQuery) {
    guard let identity = query.identity else { return }
    state.withLock { state in
      state.shared[identity]?.subscriptions -= 1
      if state.shared[identity]?.subscriptions == 0 { state.shared[identity] = nil }
    }
  }

  /// Adds a query for which a subscription now waits.
  func add(_ query: LiveQuery) { state.withLock { $0.waiting.append(query) } }

  /// Removes a query for which no subscription waits any longer.
  ///
  /// - Returns: The accesses that no other query needs, for the caller to stop.
  func remove(_ query: LiveQuery) -> [Job] {
    state.withLock { state in
      if let place = state.waiting.lastIndex(where: { $0 === query }) {
        state.waiting.remove(at: place)
      }
      guard state.waiting.isEmpty else { return [] }
      defer { state.jobs = [] }
      return state.jobs
    }
  }

  /// Starts an access that fetches, unless there are enough of them.
  func startAccess(_ access: DatabaseAccess) {
    let job: Job? = state.withLock { state in
      guard state.needsAccess(limit) else { return nil }
      let job = Job()
      state.accesses += 1
      state.jobs.append(job)
      return job
    }
    guard let job else { return }
    // Later suspensions may be the reason for an error of the access.
    let batch = FetchBatch(halts: access.haltCount) { [self] in deliver($0, access) }
    access.start(job) { [self] connection in
      begin(batch, for: job)
      _ = try connection.track(telling: access.readsWhereItWrites ? access.writer.commits : nil)
      try batch.run(&connection)
    } result: { [self] result in
      if job.reason != nil {
        // The queries for which the access has left are no longer wanted, but others may have taken their place.
        batch.putBack()
      } else {
        // If no fetch has begun, no connection can be used, so the error is that of all queries.
        if case .failure = result, !batch.hasBegun { begin(batch, ofAll: true, for: job) }
        batch.end(result)
      }
      let others = state.withLock { state in
        state.accesses -= 1
        state.batches.removeAll { $0 === batch }
        return state.waiting.isEmpty ? state.batches : []
      }
      // A connection that has nothing to do takes over the fetches that wait behind a slow one.
      for other in others { other.putBackWaiting() }
      startAccess(access)
    }
  }

  /// Begins the fetches that one of the connections performs next, in the access of this job.
  private func begin(_ batch: FetchBatch, ofAll: Bool = false, for job: Job) {
    let queries = state.withLock { state in
      state.jobs.removeAll { $0 === job }
      state.batches.append(batch)
      let count = state.waiting.count
      let queries = Array(
        state.waiting.prefix(ofAll ? count : min(Self.share, (count + limit - 1) / limit)))
      state.waiting.removeFirst(queries.count)
      return queries
    }
    batch.begin(queries.compactMap { $0.begin() })
  }

  private func deliver(_ fetch: QueryFetch, _ access: DatabaseAccess) {
    let isFirst = state.withLock { state in
      state.delivering.append(fetch)
      return state.delivering.count == 1
    }
    guard isFirst else { return }
    access.afterCompletions { [self] in
      let fetches = state.withLock { state in
        defer { state.delivering = [] }
        return state.delivering
      }
      for fetch in fetches { fetch.deliver() }
    }
  }
}

/// The fetches of one access, in one transaction.
///
/// The last one has the result of the access. The others are delivered as soon as the next one begins.
private final class FetchBatch: Sendable {
  private struct State {
    var hasBegun = false
    /// The fetches that have not run, in reverse order.
    var waiting: [QueryFetch] = []
    /// The fetch that has run last.
    var last: QueryFetch?
  }

  private let state = Locked(State())
  /// The number of suspensions of the database before the access.
  private let halts: Int
  private let deliver: @Sendable (QueryFetch) -> Void

  init(halts: Int, _ deliver: @escaping @Sendable (QueryFetch) -> Void) {
    self.halts = halts
    self.deliver = deliver
  }

  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  func begin(_ fetches: [QueryFetch]) {
    state.withLock { state in
      state.hasBegun = true
      state.waiting = fetches.reversed()
    }
  }

  /// Runs the fetches, until one of them leaves the transaction in a state in which no other can follow.
  func run(_ connection: inout sending Connection) throws {
    guard state.withLock({ !$0.waiting.isEmpty }) else { return }
    let number = connection.number
    try transactReading(&connection) { connection in
      let writes = connection.state.writes.begun
      while let (fetch, isLast) = next() {
        do { try fetch.run(&connection) } catch {
          guard !isLast, connection.canFetch(number, writes) else { throw error }
          fetch.fail(error, halts)
        }
        guard !isLast, connection.canFetch(number, writes) else { return }
      }
    }
  }

  /// Returns the next fetch, and whether it is the last of all; delivers the result of the one before it.
  private func next() -> (fetch: QueryFetch, isLast: Bool)? {
    let next = state.withLock { state -> (before: QueryFetch?, fetch: QueryFetch, isLast: Bool)? in
      guard let fetch = state.waiting.popLast() else { return nil }
      defer { state.last = fetch }
      return (state.last, fetch, state.waiting.isEmpty)
    }
    if let before = next?.before { deliver(before) }
    return next.map { ($0.fetch, $0.isLast) }
  }

  /// Delivers the results that have not been delivered, and puts back the queries whose fetches have not run.
  func end(_ result: Result<Void, any Error>) {
    guard let last = state.withLock({ $0.last.take() }) else {
      guard case .failure(let error) = result else { return putBackWaiting() }
      // The transaction has not begun.
      for fetch in takeWaiting() {
        fetch.fail(error, halts)
        deliver(fetch)
      }
      return
    }
    if case .failure(let error) = result { last.fail(error, halts) }
    deliver(last)
    putBackWaiting()
  }

  /// Puts back all queries whose results have not been delivered.
  func putBack() {
    state.withLock { $0.last.take() }?.putBack()
    putBackWaiting()
  }

  /// Puts back the queries whose fetches have not run.
  func putBackWaiting() {
    for fetch in takeWaiting() { fetch.putBack() }
  }

  private func takeWaiting() -> [QueryFetch] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting.reversed()
    }
  }
}

extension Connection {
  /// Whether the transaction of a fetch, in which this number of writes had begun, is open and as it was.
  fileprivate func canFetch(_ number: UInt64, _ writes: Int) -> Bool {
    self.number == number && !isInAutocommit && state.writes.begun == writes
      && state.interruptState?.flags.load(ordering: .acquiring) == 0
  }
}
