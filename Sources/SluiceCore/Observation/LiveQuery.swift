/// The query of a publisher, which fetches once for all subscriptions that wait for its value.
///
/// Only the closure of the query and the delivery know the type of the value: see `SubscriptionState`.
final class LiveQuery: Sendable {
  /// Delivers a fetched value to a subscription.
  typealias Delivery = @Sendable (SubscriptionState) -> Void

  /// A subscription that waits for a value.
  struct Waiter {
    let subscription: LiveSubscription
    let delivery: SubscriptionState
    /// The work for the subscription, which stops with it.
    let job: Job
  }

  let access: DatabaseAccess
  let identity: QueryIdentity?
  private let value: @Sendable (inout sending Connection) throws -> Delivery
  private let waiters = Locked<[Waiter]>([])

  init<Value: Sendable>(
    _ access: DatabaseAccess, _ identity: QueryIdentity?,
    _ body: @escaping @Sendable (inout sending Connection) throws -> Value
  ) {
    self.access = access
    self.identity = identity
    value = { connection in
      let value = try body(&connection)
      return { _ = $0.deliver(value) }
    }
  }

  /// Fetches the value for a subscription, after the fetches that already wait for a connection.
  func fetch(for waiter: Waiter) {
    let isFirst = waiters.withLock { waiters in
      waiters.append(waiter)
      if waiters.count == 1 { access.fetches.add(self) }
      return waiters.count == 1
    }
    if isFirst { access.fetches.startAccess(access) }
    // If the subscription ended before it began to wait, nothing has removed it.
    if waiter.job.isCancelled { remove(waiter.job) }
  }

  /// Forgets the subscription of a job that has been stopped, if it still waits.
  func remove(_ job: Job) {
    let (removed, accesses) = waiters.withLock { waiters in
      let removed = waiters.filter { $0.job === job }
      waiters.removeAll { $0.job === job }
      return (removed, !removed.isEmpty && waiters.isEmpty ? access.fetches.remove(self) : [])
    }
    for access in accesses { access.stop(.cancelled) }
    // The release of a subscription may run any code, so it happens outside the lock.
    withExtendedLifetime(removed) {}
  }

  /// Begins a fetch for the subscriptions that wait; called before the transaction of the fetch begins.
  ///
  /// - Returns: The fetch, or nil if no subscription waits.
  func begin() -> QueryFetch? {
    let waiters = waiters.withLock { waiters in
      defer { waiters = [] }
      return waiters
    }
    // The fetch sees all commits that were recorded before it, so they cannot make its value out of date.
    for waiter in waiters { waiter.subscription.forgetCommits() }
    return waiters.isEmpty ? nil : QueryFetch(self, waiters)
  }

  fileprivate func value(
    _ connection: inout sending Connection, _ mark: LiveMark
  ) throws -> (Delivery, ReadRegion) {
    try marking(&connection, mark) { connection in
      connection.state.tracker?.beginReading()
      let writes = connection.state.writes.begun
      let value: Delivery
      do { value = try self.value(&connection) } catch {
        _ = connection.state.tracker?.endReading()
        throw error
      }
      let region = connection.state.tracker?.endReading() ?? ReadRegion()
      // Sluice itself may have created and dropped a temporary table, which `writes` does not count.
      guard try connection.transactionState() != .write || connection.state.writes.begun == writes
      else {
        throw SQLiteError(.misuse, "The closure of an observation cannot write")
      }
      return (value, region)
    }
  }
}

/// A fetch of a live query, for the subscriptions that waited when it began.
final class QueryFetch: Sendable {
  private struct State {
    /// The job with which the fetch runs.
    var job: Job?
    var result: Result<(LiveQuery.Delivery, ReadRegion), any Error>?
    /// The number of suspensions of the database before the access that failed.
    var halts = 0
  }

  private let query: LiveQuery
  private let waiters: [LiveQuery.Waiter]
  private let state = Locked(State())

  fileprivate init(_ query: LiveQuery, _ waiters: [LiveQuery.Waiter]) {
    self.query = query
    self.waiters = waiters
  }

  /// Fetches the value in the open transaction; throws the error of the query.
  func run(_ connection: inout sending Connection) throws {
    // Without a subscription that still wants the value, there is nothing to do.
    guard let waiter = waiters.first(where: { !$0.job.isCancelled }) else { return }
    guard let interruptState = connection.state.interruptState else { throw connection.closed }
    state.withLock { $0.job = waiter.job }
    let value = try waiter.job.run(interruptState, on: &connection) { connection in
      try query.value(&connection, waiter.subscription.mark)
    }
    state.withLock { $0.result = .success(value) }
  }

  /// Replaces the result with an error of an access before which the database had been suspended `halts` times.
  func fail(_ error: any Error, _ halts: Int) {
    state.withLock { state in
      state.result = .failure(error)
      state.halts = halts
    }
  }

  /// Delivers the result to the subscriptions.
  func deliver() {
    let (job, result, halts) = state.withLock { ($0.job, $0.result, $0.halts) }
    switch result {
    case .success(let (value, region)):
      for waiter in waiters { waiter.subscription.receive(value, from: region, waiter.delivery) }
    // The fetch was stopped with the subscription whose job ran. The others still wait.
    case .failure where job?.reason != nil: putBack()
    case .failure(let error):
      for waiter in waiters { waiter.subscription.fail(error, waiter.delivery, halts) }
    case nil: putBack()
    }
  }

  /// Lets the subscriptions, whose fetch has not run, wait for another fetch.
  func putBack() {
    for waiter in waiters { waiter.subscription.fetch(for: waiter.delivery) }
  }
}
