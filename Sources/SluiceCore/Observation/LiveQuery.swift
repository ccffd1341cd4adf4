import Dispatch

/// A query that runs again when the data that it has read may have changed.
final class LiveQuery<Value: Sendable>: Sendable {
  typealias Fetch = @Sendable (inout sending Connection) throws -> Value

  private struct State {
    /// Whether the latest value may be out of date.
    var isStale = true
    /// The region that the latest value was read from; nil while a value is being fetched.
    var region: ReadRegion?
    /// The changes of the commits since the fetch began.
    var changes = TableChangeSummary()
  }

  private let state = Locked(State())
  /// The number of the query among the observers of commits; nil before `start` and after `stop`.
  private let number = Locked<Int?>(nil)
  private let access: DatabaseAccess
  private let fetch: Fetch
  private let current = CurrentJob()
  /// The mark of the query's statements, which remain compiled.
  private let mark = LiveMark()

  init(_ access: DatabaseAccess, _ fetch: @escaping Fetch) {
    self.access = access
    self.fetch = fetch
  }

  /// Starts the subscription, whose values are fetched after the commits that concern them.
  func start(for delivery: SubscriptionState<Value>) {
    let observer = access.writer.commits.add { [weak delivery] changes in
      guard let delivery, self.isStale(after: changes) else { return }
      self.fetchIfStale(for: delivery)
    }
    number.withLock { $0 = observer }
    delivery.start()
    // If the subscription ended before the number was stored, nothing has removed the observer.
    if delivery.isOver { access.writer.commits.remove(observer) }
  }

  /// Records a commit, and returns whether the latest value is now out of date.
  private func isStale(after changes: TableChangeSummary) -> Bool {
    state.withLock { state in
      if let region = state.region {
        if changes.touches(region) { state.isStale = true }
      } else {
        state.changes.formUnion(changes)
      }
      return state.isStale
    }
  }

  /// Fetches the value if the subscriber wants one and the latest value is out of date.
  func fetchIfStale(for delivery: SubscriptionState<Value>) {
    guard state.withLock({ $0.isStale }), delivery.begin() else { return }
    // Until the fetch has returned, it is unknown which commits concern its value.
    limit(to: nil)
    state.withLock { state in
      state.isStale = false
      state.region = nil
    }
    // Track the writer first, unless it is already tracked, or the read itself tracks it.
    guard !access.readsWhereItWrites, !access.writer.commits.isFollowed else {
      return read(for: delivery)
    }
    let halts = access.haltCount
    access.writer.async { [commits = access.writer.commits] connection in
      _ = try connection.track(telling: commits)
    } result: { [self] result in
      guard case .failure(let error) = result else { return read(for: delivery) }
      access.afterCompletions { [self] in fail(error, delivery, halts) }
    }
  }

  /// Ends the calls for commits, and stops a fetch in progress, because the subscriber no longer wants the value.
  func stop() {
    if let number = number.withLock({ $0.take() }) { access.writer.commits.remove(number) }
    mark.end()
    current.stop()
  }

  private func limit(to region: ReadRegion?) {
    if let number = number.withLock(\.self) { access.writer.commits.limit(number, to: region) }
  }

  private func read(for delivery: SubscriptionState<Value>) {
    guard let job = current.begin() else { return }
    let halts = access.haltCount
    access.start(job) { [self] connection in
      try value(&connection)
    } result: { [self] result in
      access.afterCompletions { [self] in
        switch result {
        case .failure(let error): fail(error, delivery, halts)
        case .success(let (value, region)):
          state.withLock { state in
            state.region = region
            if state.changes.touches(region) { state.isStale = true }
          }
          limit(to: region)
          _ = delivery.deliver(value)
          delivery.pause()
        }
      }
    }
  }

  /// Ends the observation with an error, or fetches the value again if a suspension may have caused the error.
  private func fail(_ error: any Error, _ delivery: SubscriptionState<Value>, _ halts: Int) {
    guard access.haltCount != halts else { return delivery.finish(.failure(error)) }
    state.withLock { $0.isStale = true }
    delivery.pause()
  }

  private func value(_ connection: inout sending Connection) throws -> (Value, ReadRegion) {
    _ = try connection.track(telling: access.readsWhereItWrites ? access.writer.commits : nil)
    // The fetch sees all commits that were recorded before it, so they cannot make its value out of date.
    state.withLock { $0.changes = TableChangeSummary() }
    return try marking(&connection, mark) { connection in try read(&connection) }
  }

  private func read(_ connection: inout sending Connection) throws -> (Value, ReadRegion) {
    try transactReading(&connection) { connection in
      connection.state.tracker?.beginReading()
      let writes = connection.state.writes.begun
      let result: Value
      do { result = try fetch(&connection) } catch {
        _ = connection.state.tracker?.endReading()
        throw error
      }
      let region = connection.state.tracker?.endReading() ?? ReadRegion()
      // Sluice itself may have created and dropped a temporary table, which `writes` does not count.
      guard try connection.transactionState() != .write || connection.state.writes.begun == writes
      else {
        throw SQLiteError(.misuse, "The closure of an observation cannot write")
      }
      return (result, region)
    }
  }
}
