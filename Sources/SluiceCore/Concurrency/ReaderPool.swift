import CSluice
import Dispatch
import Synchronization

/// The connections of a pool that read: they are opened on demand, and lent in the order of the calls.
final class ReaderPool: Sendable {
  private let location: DatabaseLocation
  private let label: String
  private let qos: DispatchQoS
  let limit: Int
  let state = Locked(State())

  struct State: Sendable {
    /// All that are open.
    var lines: [ConnectionLine] = []
    /// Those that nobody uses; there is none as long as somebody waits.
    var idle: [ConnectionLine] = []
    /// How many are being opened.
    var openings = 0
    /// The threads that open one: what sets it up can come here.
    var openers: [UInt] = []
    var waiters: [Waiter] = []
    /// The connections that streams keep, by stream; these are in use.
    var stays: [UInt64: ConnectionLine] = [:]
    var isSuspended = false
    var isClosed = false
    /// Whether nothing that has not begun is to begin.
    var isInterrupted = false
    /// Who waits for the end of all that was begun.
    var closers: [DispatchSemaphore] = []

    var busyCount: Int { lines.count - idle.count + openings }

    func isHeld(by thread: UInt) -> Bool {
      openers.contains(thread)
        || lines.contains { $0.alarm.holder.load(ordering: .relaxed) == thread }
    }
  }

  /// Somebody who wants a connection, and gets it, or hears why not.
  final class Waiter: Sendable {
    let take: @Sendable (Result<ConnectionLine, any Error>) -> Void
    init(_ take: @escaping @Sendable (Result<ConnectionLine, any Error>) -> Void) {
      self.take = take
    }
  }

  init(_ location: DatabaseLocation, limit: Int, label: String, qos: DispatchQoS) {
    self.location = location
    monitorsAccess = location.isMonitored
    self.limit = limit
    self.label = label
    self.qos = qos
  }

  /// Whether anybody wants to know how long an access waits.
  let monitorsAccess: Bool

  /// What the pool has and does.
  var snapshot: State { state.withLock { $0 } }

  /// Whether the calling thread has one of the connections, or opens one.
  func isHeld(by thread: UInt) -> Bool {
    state.withLock { $0.isHeld(by: thread) }
  }
}

extension ReaderPool {
  private enum Answer {
    case line(ConnectionLine)
    case open
    case wait
    case refuse
  }

  /// A connection that nobody uses, unless others were before, it is not the time, or somebody wants to know
  /// how long that took.
  ///
  /// It throws if the thread has one already.
  func takeIdle(for thread: UInt) throws -> ConnectionLine? {
    try state.withLock { state in
      guard !state.isHeld(by: thread) else { throw ConnectionPool.nested }
      guard state.waiters.isEmpty, !state.isSuspended, !state.isClosed, !monitorsAccess else {
        return nil
      }
      return state.idle.popLast()
    }
  }

  /// Asks for a connection, which comes at once, or when those who asked before have had theirs.
  func request(_ waiter: Waiter) {
    let answer = state.withLock { state -> Answer in
      if state.isClosed { return .refuse }
      if !state.isSuspended, state.waiters.isEmpty {
        if let line = state.idle.popLast() { return .line(line) }
        if state.lines.count + state.openings < limit {
          state.openings += 1
          return .open
        }
      }
      state.waiters.append(waiter)
      return .wait
    }
    switch answer {
    case .line(let line): waiter.take(.success(line))
    case .open: openLater(for: waiter)
    case .wait: break
    case .refuse: waiter.take(.failure(Self.closed))
    }
  }

  /// Forgets somebody who has left; false if a connection was given already.
  @discardableResult
  func forget(_ waiter: Waiter) -> Bool {
    let (hasLeft, closers) = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else {
        return (false, [DispatchSemaphore]())
      }
      state.waiters.remove(at: index)
      return (true, state.takeClosers())
    }
    for closer in closers { closer.signal() }
    return hasLeft
  }

  /// Takes back a connection, which goes to whoever has waited longest.
  func give(_ line: ConnectionLine) {
    let isUsable = line.isUsable
    let (closers, isWanted) = state.withLock { state in
      if isUsable {
        state.idle.append(line)
      } else {
        // A body has closed it, or has put another one in its place: the next one is opened anew.
        state.lines.removeAll { $0 === line }
      }
      return (state.takeClosers(), !state.waiters.isEmpty)
    }
    for closer in closers { closer.signal() }
    if isWanted { serve() }
  }

  /// Serves those who wait, as far as there are connections.
  func serve() {
    while true {
      let (waiter, line) = state.withLock { state -> (Waiter?, ConnectionLine?) in
        guard !state.isSuspended, !state.waiters.isEmpty else { return (nil, nil) }
        if let line = state.idle.popLast() { return (state.waiters.removeFirst(), line) }
        guard state.lines.count + state.openings < limit else { return (nil, nil) }
        state.openings += 1
        return (state.waiters.removeFirst(), nil)
      }
      guard let waiter else { return }
      if let line {
        waiter.take(.success(line))
      } else {
        openLater(for: waiter)
      }
    }
  }

  /// Opens one more connection for somebody, where neither a task nor another opening waits for it.
  private func openLater(for waiter: Waiter) {
    DispatchQueue(label: label + ".opening", qos: qos).async { [self] in open(for: waiter) }
  }

  private func open(for waiter: Waiter) {
    let thread = sluice_current_thread()
    state.withLock { $0.openers.append(thread) }
    let result = Result {
      try ConnectionLine(label: label, qos: qos, target: nil, of: .pool, location.openReader())
    }
    let answer: Result<ConnectionLine, any Error>? = state.withLock { state in
      state.openings -= 1
      state.openers.removeAll { $0 == thread }
      guard case .success(let line) = result else { return result }
      state.lines.append(line)
      guard state.isSuspended || state.isInterrupted else { return result }
      state.idle.append(line)
      if state.isInterrupted { return .failure(Self.closed) }
      state.waiters.insert(waiter, at: 0)
      return nil
    }
    if let answer { waiter.take(answer) }
    // The place is free again of one that could not be opened.
    if case .failure = answer { noteEnd() }
  }

  private func noteEnd() {
    let closers = state.withLock { $0.takeClosers() }
    for closer in closers { closer.signal() }
    serve()
  }

  static let closed = SQLiteError(.misuse, "The pool is closed")
}
