/// A subscription to a live query, which fetches a value when the data that its latest value was read from may have changed.
final class LiveSubscription: Sendable {
  private struct State {
    /// Whether the latest value may be out of date.
    var isStale = true
    /// The region that the latest value was read from; nil until there is a value.
    var region: ReadRegion?
    /// The fetch in progress; nil if there is none.
    var fetch: Fetch?
  }

  /// The commits since a fetch began; those that concern only a new region may be missing.
  private struct Fetch {
    var changes = TableChangeSummary()
    /// The number of all commits before the fetch began.
    var commits = 0
  }

  private let state = Locked(State())
  /// The number of the subscription among the observers of commits; nil before `start` and after `stop`.
  private let number = Locked<Int?>(nil)
  private let query: LiveQuery
  private let current = CurrentJob()
  /// The mark of the statements of the query, which remain compiled.
  let mark = LiveMark()

  init(to query: LiveQuery) { self.query = query.access.fetches.join(query) }

  private var access: DatabaseAccess { query.access }

  /// Starts the subscription, whose values are fetched after the commits that concern them.
  func start(for delivery: SubscriptionState) {
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
      if state.fetch != nil {
        state.fetch?.changes.formUnion(changes)
      } else if state.region.map(changes.touches) ?? true {
        state.isStale = true
      }
      return state.isStale
    }
  }

  /// Fetches the value if the subscriber wants one and the latest value is out of date.
  func fetchIfStale(for delivery: SubscriptionState) {
    guard state.withLock({ $0.isStale }), delivery.begin() else { return }
    state.withLock { state in
      state.isStale = false
      state.fetch = Fetch()
    }
    // Track the writer first, unless it is already tracked, or the fetch itself tracks it.
    guard !access.readsWhereItWrites, !access.writer.commits.isFollowed else {
      return fetch(for: delivery)
    }
    let halts = access.haltCount
    access.writer.async { [commits = access.writer.commits] connection in
      _ = try connection.track(telling: commits)
    } result: { [self] result in
      guard case .failure(let error) = result else { return fetch(for: delivery) }
      access.afterCompletions { [self] in fail(error, delivery, halts) }
    }
  }

  /// Waits for the next fetch of the query, unless the subscription has ended.
  func fetch(for delivery: SubscriptionState) {
    guard let job = current.begin() else { return }
    query.fetch(for: LiveQuery.Waiter(subscription: self, delivery: delivery, job: job))
  }

  /// Forgets the commits so far, which a transaction that has not begun yet will see.
  func forgetCommits() {
    let fetch = Fetch(commits: access.writer.commits.count)
    state.withLock { $0.fetch = fetch }
  }

  /// Delivers a value that was read from a region.
  func receive(
    _ value: LiveQuery.Delivery, from region: ReadRegion, _ delivery: SubscriptionState
  ) {
    let (old, fetch) = state.withLock { state in
      let (old, fetch) = (state.region, state.fetch.take())
      state.region = region
      if fetch?.changes.touches(region) ?? true { state.isStale = true }
      return (old, fetch)
    }
    if region != old {
      limit(to: region)
      // Commits that concern only the new region have not been told, unless all of them were.
      if old != nil, access.writer.commits.count != fetch?.commits {
        state.withLock { $0.isStale = true }
      }
    }
    value(delivery)
    delivery.pause()
  }

  /// Ends the observation with an error, or fetches the value again if a suspension may have caused the error.
  func fail(_ error: any Error, _ delivery: SubscriptionState, _ halts: Int) {
    guard access.haltCount != halts else { return delivery.finish(.failure(error)) }
    state.withLock { state in
      state.isStale = true
      state.fetch = nil
    }
    delivery.pause()
  }

  private func limit(to region: ReadRegion) {
    if let number = number.withLock(\.self) { access.writer.commits.limit(number, to: region) }
  }

  /// Ends the calls for commits, and stops a fetch in progress, because the subscriber no longer wants the value.
  func stop() {
    if let number = number.withLock({ $0.take() }) { access.writer.commits.remove(number) }
    mark.end()
    access.fetches.leave(query)
    if let job = current.stop() { query.remove(job) }
  }
}
