public import Observation
public import SluiceCore

/// The latest result of a query, for a view that shows it.
///
/// ```swift
/// let titles = queue.live(.column(.string), "SELECT title FROM event ORDER BY title")
/// try await titles.load()
/// print(titles.value)
/// ```
///
/// The main actor owns a live value, and `Observation` tracks its properties: a SwiftUI view that reads ``value``
/// is updated after each commit that changes the result. The query runs on the queue or pool, not on the main
/// thread. If the value is `Equatable`, a result that equals the previous one changes nothing. While the main thread is
/// busy, results that are already outdated are skipped.
///
/// The observation ends when the last reference to the live value is released, or by ``cancel()``. If the query fails, ``value``
/// keeps the last result, and ``error`` contains the error; ``observe(_:)`` starts again.
///
/// Outside of views, iterate over the publisher that ``DatabaseReader/observe(_:)`` returns.
@MainActor
public final class LiveValue<Value: Sendable>: Observable {
  /// The latest result; the initial value until ``isLoaded`` is true.
  public var value: Value {
    registrar.access(subject, keyPath: \.value)
    return storedValue
  }

  /// The error that has ended the observation; nil while there is none.
  public var error: (any Error)? {
    registrar.access(subject, keyPath: \.error)
    return storedError
  }

  /// Whether ``value`` is a result of the current query.
  public var isLoaded: Bool {
    registrar.access(subject, keyPath: \.isLoaded)
    return storedIsLoaded
  }

  private let registrar = ObservationRegistrar()
  private let subject = LiveProperties()
  private var storedValue: Value
  private var storedError: (any Error)?
  private var storedIsLoaded = false

  private var publisher: ValuePublisher<Value>
  private var feed = LiveFeed<Value>()
  /// Whether the feed has delivered a value.
  private var isCurrent = false
  /// Whether the observation has ended.
  private var isOver = false
  /// The update that `present` has received and not performed.
  private var pendingUpdate: LiveUpdate<Value>?
  private var present: (@MainActor (LiveUpdate<Value>) -> Void)?
  /// The number of feeds so far.
  private var feedCount = 0
  private var waiting: [Int: Waiter] = [:]
  private var waitCount = 0

  /// A task that waits for a value of the feed with this number, or of a later one.
  private struct Waiter {
    let feed: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  /// Creates a live value that has an initial value until the publisher delivers the first one.
  public init(initial: Value, observing publisher: ValuePublisher<Value>) {
    storedValue = initial
    self.publisher = publisher
    start()
  }

  deinit { feed.cancel() }
}

extension LiveValue {
  /// Observes another query from now on, and keeps the current value until its first result arrives.
  ///
  /// ```swift
  /// titles.observe(
  ///   queue.observe(.column(.string), "SELECT title FROM event WHERE id > \(last)"))
  /// ```
  ///
  /// This method also starts an observation again that has failed or was cancelled.
  public func observe(_ publisher: ValuePublisher<Value>) {
    self.publisher = publisher
    restart(isLoaded: false)
  }

  /// Ends the observation, and keeps the value.
  ///
  /// Tasks that wait in ``load()`` or ``reload()`` receive `CancellationError`.
  public func cancel() {
    end()
    feedCount += 1
    endWaiting(.failure(CancellationError()))
  }

  /// Calls a closure for each update, to change the value as part of an animation or of a batch of changes.
  ///
  /// ```swift
  /// titles.onUpdate { update in
  ///   withAnimation { update() }
  /// }
  /// ```
  ///
  /// The first result is an update even if it equals the initial value. If the closure does not call the update, the value
  /// changes when the closure returns.
  public func onUpdate(_ body: (@MainActor (_ update: LiveUpdate<Value>) -> Void)?) {
    present = body
  }
}

extension LiveValue {
  /// Waits for the first result of the query.
  ///
  /// - Returns: This live value.
  /// - Throws: The error of the query, or `CancellationError` if the task or the live value is cancelled.
  @discardableResult
  public func load() async throws -> LiveValue {
    try Task.checkCancellation()
    if try !isSettled() { try await wait(forFeed: feedCount) }
    return self
  }

  /// Runs the query again, and waits for a result that shows every write that ended before this call.
  ///
  /// ```swift
  /// try await queue.write { try $0.execute("INSERT INTO event(title) VALUES ('Concert')") }
  /// try await titles.reload()
  /// print(titles.value.count)  // 3
  /// ```
  ///
  /// Commits of the same queue or pool update ``value`` without this method, but soon, not at once. The result also shows
  /// the writes of other connections and processes. Until it arrives, ``value`` and ``isLoaded`` do not change. This
  /// method also starts an observation again that has failed or was cancelled.
  ///
  /// - Returns: This live value.
  /// - Throws: The error of the query, or `CancellationError` if the task or the live value is cancelled.
  @discardableResult
  public func reload() async throws -> LiveValue {
    try Task.checkCancellation()
    if isOver || isCurrent {
      restart()
      try await wait(forFeed: feedCount)
    } else {
      // The result that is on its way may be older than this call. If it were stopped, calls in short intervals would never
      // end.
      try await wait(forFeed: feedCount + 1)
    }
    return self
  }

  /// Blocks the main thread until the first result of the query arrives.
  ///
  /// Use this method where a view must not appear without its content, and only for queries that take little time.
  /// If an update waits in ``onUpdate(_:)``, this method performs it.
  ///
  /// - Returns: This live value.
  /// - Throws: The error of the query, or `CancellationError` if the live value was cancelled. ``ResultCode/misuse`` if
  ///   the result cannot arrive while this method blocks: inside an access to the same database, or for a publisher that
  ///   delivers on the main queue.
  @available(*, noasync, message: "Use load, which does not block the thread")
  @discardableResult
  public func syncLoad() throws -> LiveValue {
    pendingUpdate?()
    while try !isSettled() {
      try feed.refuseToBlock()
      feed.wait()
      receive()
    }
    return self
  }

  /// Runs the query again, and blocks the main thread until a result arrives that shows every write that ended before this
  /// call.
  ///
  /// This method is to ``reload()`` what ``syncLoad()`` is to ``load()``, and throws the same errors.
  ///
  /// - Returns: This live value.
  @available(*, noasync, message: "Use reload, which does not block the thread")
  @discardableResult
  public func syncReload() throws -> LiveValue {
    try publisher.refuseToBlock()
    restart()
    while !isCurrent {
      if let storedError { throw storedError }
      if isOver { throw CancellationError() }
      feed.wait()
      receive()
    }
    return self
  }

  /// Returns whether the first result has arrived; throws if there will be none.
  private func isSettled() throws -> Bool {
    if let storedError { throw storedError }
    if storedIsLoaded { return true }
    if isOver { throw CancellationError() }
    return false
  }
}

extension LiveValue {
  /// Subscribes again, and keeps the value until the first result arrives.
  private func restart(isLoaded: Bool? = nil) {
    end()
    start()
    let feed = feed
    // An observer may have ended the observation, or have begun another one.
    func isWanted() -> Bool { self.feed === feed }
    if let isLoaded, isLoaded != storedIsLoaded {
      change(\.isLoaded, if: isWanted) { storedIsLoaded = isLoaded }
    }
    if storedError != nil { change(\.error, if: isWanted) { storedError = nil } }
  }

  private func start() {
    feed = LiveFeed()
    feedCount += 1
    isCurrent = false
    isOver = false
    feed.start(publisher) { [weak self] in
      Task { @MainActor [weak self] in self?.receive() }
    }
  }

  /// Tells the observers of a property, and then changes it, unless an observer has done something that contradicts it.
  private func change(
    _ property: KeyPath<LiveProperties, Void>, if isWanted: () -> Bool, _ change: () -> Void
  ) {
    registrar.willSet(subject, keyPath: property)
    if isWanted() { change() }
    registrar.didSet(subject, keyPath: property)
  }

  private func end() {
    feed.cancel()
    isOver = true
    pendingUpdate = nil
  }

  /// Takes the value and the completion that the feed has received.
  private func receive() {
    let feed = feed
    let (new, completion) = feed.take()
    if let new { update(to: new.value, from: feed) }
    // A closure of the user may have ended the observation, or have begun another one.
    guard let completion, self.feed === feed, !isOver else { return }
    end()
    func isWanted() -> Bool { self.feed === feed }
    if case .failure(let failure) = completion {
      change(\.error, if: isWanted) { storedError = failure }
    }
    // An observer may have begun another observation.
    guard isWanted() else { return }
    endWaiting(.failure(storedError ?? CancellationError()))
  }

  private func update(to new: Value, from feed: LiveFeed<Value>) {
    // The first result of a reload can equal the value, which is then not updated.
    let isSame = storedIsLoaded && !isCurrent && feed.isEqual(storedValue, new)
    guard let present, !isSame else { return set(new, from: feed) }
    let update = LiveUpdate(old: storedValue, new: new) { [self] in
      pendingUpdate = nil
      set(new, from: feed)
    }
    pendingUpdate = update
    present(update)
    update()
  }

  private func set(_ new: Value, from feed: LiveFeed<Value>) {
    // An observer may have ended the observation, or have begun another one.
    func isWanted() -> Bool { self.feed === feed && !isOver }
    guard isWanted() else { return }
    // The feed compares its values. Its first one can equal that of an earlier feed, or the initial value.
    if isCurrent || !feed.isEqual(storedValue, new) {
      change(\.value, if: isWanted) { storedValue = new }
      guard isWanted() else { return }
    }
    isCurrent = true
    if !storedIsLoaded { change(\.isLoaded, if: isWanted) { storedIsLoaded = true } }
    guard isWanted() else { return }
    if !waiting.isEmpty { endWaiting(.success(())) }
  }

  private func wait(forFeed feed: Int) async throws {
    waitCount += 1
    let number = waitCount
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        waiting[number] = Waiter(feed: feed, continuation: $0)
      }
    } onCancel: {
      Task { @MainActor in
        waiting.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
      }
    }
  }

  /// Resumes the tasks that wait for the current feed, and starts the next feed if tasks wait for it.
  private func endWaiting(_ result: Result<Void, any Error>) {
    let ready = waiting.filter { $0.value.feed <= feedCount }
    for (number, waiter) in ready {
      waiting[number] = nil
      waiter.continuation.resume(with: result)
    }
    if !waiting.isEmpty { restart() }
  }
}

/// The properties of a live value, as observers distinguish them.
///
/// A key path of a generic class is created at each access, which takes thousands of instructions, and a key path of
/// this class only once. Therefore a live value does not use the macro `Observable`.
private final class LiveProperties: Observable {
  var value: Void { () }
  var error: Void { () }
  var isLoaded: Void { () }
}

/// A change of a live value that is about to happen; see ``LiveValue/onUpdate(_:)``.
@MainActor
public final class LiveUpdate<Value: Sendable> {
  /// The value before the update.
  public let old: Value
  /// The value after the update.
  public let new: Value
  private var perform: (() -> Void)?

  init(old: Value, new: Value, perform: @escaping () -> Void) {
    self.old = old
    self.new = new
    self.perform = perform
  }

  /// Performs the update; later calls have no effect.
  public func callAsFunction() { perform.take()?() }
}

extension LiveUpdate where Value: Collection, Value.Element: Identifiable & Equatable {
  /// The difference between the old and the new elements.
  public var difference: IdentifiedDifference { IdentifiedDifference(from: old, to: new) }
}
