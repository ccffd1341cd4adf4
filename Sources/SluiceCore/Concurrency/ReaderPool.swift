import CSluice
import Dispatch
import Synchronization

/// The read-only connections of a pool or snapshot, which are opened on demand.
///
/// A released connection becomes idle even while other threads wait, so a thread that reads repeatedly can take it
/// again at once. Giving the connection to the thread that has waited longest would cause a thread switch at every
/// read. To limit the waiting time, a request that has waited for ten milliseconds is served before all others.
final class ReaderPool: Sendable {
  /// The location for new connections; nil if only the initial connections are used.
  private let location: DatabaseLocation?
  private let label: String
  /// The maintenance of the pool, if there is any.
  private let keeper: PoolKeeper?
  private let qos: DispatchQoS
  let limit: Int
  /// The live queries that fetch with these connections.
  let fetches: FetchQueue
  let state = Locked(State())

  struct State: Sendable {
    /// All open connections.
    var connections: [SerialConnection] = []
    /// The connections that are not in use; a waiting thread may be about to take one.
    var idle: [SerialConnection] = [] {
      didSet { idleFloor = min(idleFloor, idle.count) }
    }
    /// The smallest number of idle connections since the last check for unused ones.
    var idleFloor = 0
    /// The number of connections that are being opened.
    var openings = 0
    /// The threads that are opening a connection.
    ///
    /// If code that prepares a connection calls this pool on such a thread, the call is rejected as nested.
    var openers: [UInt] = []
    var waiters: [Waiter] = []
    /// The statements that each reader compiles when it opens.
    var warmStatements: [String] = []
    /// The connections that are leased to streams, by stream; these connections count as in use.
    var leases: [UInt64: SerialConnection] = [:]
    var isSuspended = false
    /// The number of barriers that wait or run.
    var barrierCount = 0
    var isClosed = false
    /// Whether work that has not begun must not begin.
    var isInterrupted = false
    /// The semaphores of callers that wait for all earlier work to end.
    var closers: [DispatchSemaphore] = []

    /// Whether no connection may be handed out now.
    var isHeldBack: Bool { isSuspended || barrierCount > 0 }

    var busyCount: Int { connections.count - idle.count + openings }

    /// Returns whether another connection may be opened.
    ///
    /// If `limit` is nil, the result is true once no connection is left. Opening one then fails with an error.
    func hasRoom(_ limit: Int?) -> Bool { connections.count + openings < limit ?? 1 }

    /// Reserves room for an idle connection, and returns false if no connection may be opened now.
    mutating func reserveOpening(_ limit: Int?) -> Bool {
      guard limit != nil, hasRoom(limit), !isClosed, !isHeldBack else { return false }
      openings += 1
      return true
    }

    func isHeld(by thread: UInt) -> Bool {
      openers.contains(thread)
        || connections.contains { $0.interruptState.holder.load(ordering: .relaxed) == thread }
    }
  }

  init(
    _ location: DatabaseLocation, limit: Int, label: String, qos: DispatchQoS, keeper: PoolKeeper?
  ) {
    self.keeper = keeper
    self.location = location
    monitorsAccess = location.isMonitored
    self.limit = limit
    fetches = FetchQueue(limit: limit)
    self.label = label
    self.qos = qos
  }

  /// Creates a pool of open connections, to which no others are added.
  init(_ connections: [SerialConnection], label: String, qos: DispatchQoS) {
    location = nil
    keeper = nil
    monitorsAccess = connections.contains { $0.reporting != nil }
    limit = connections.count
    fetches = FetchQueue(limit: limit)
    self.label = label
    self.qos = qos
    state.withLock { state in
      state.connections = connections
      state.idle = connections
    }
  }

  /// Whether a monitor measures how long accesses wait.
  let monitorsAccess: Bool

  /// The maximum number of connections; nil if no connection can be opened.
  ///
  /// If the number is nil, a request receives an error once no connection is left.
  var openingLimit: Int? { location == nil ? nil : limit }

  /// The current state of the pool.
  var snapshot: State { state.withLock { $0 } }

  /// Returns whether a thread holds one of the connections, or is opening one.
  func isHeld(by thread: UInt) -> Bool {
    state.withLock { $0.isHeld(by: thread) }
  }
}

extension ReaderPool {
  private enum Answer {
    case serial(SerialConnection)
    case open
    case wait
    case refuse
  }

  /// Takes an idle connection, or returns nil if none can be taken directly.
  ///
  /// A connection cannot be taken directly from a pool that is suspended, closed or monitored, or that has a
  /// barrier. Throws if the thread already holds or opens a connection.
  func takeIdle(for thread: UInt) throws -> SerialConnection? {
    try state.withLock { state in
      guard !state.isHeld(by: thread) else { throw ConnectionPool.nested }
      guard !state.isHeldBack, !state.isClosed, !monitorsAccess else { return nil }
      return state.idle.popLast()
    }
  }

  /// Requests a connection, which the waiter receives immediately or later.
  func request(_ waiter: Waiter) {
    let answer = state.withLock { state -> Answer in
      if state.isClosed { return .refuse }
      if !state.isHeldBack {
        if let serial = state.idle.popLast() { return .serial(serial) }
        if state.hasRoom(openingLimit) {
          state.openings += 1
          return .open
        }
      }
      state.waiters.append(waiter)
      return .wait
    }
    switch answer {
    case .serial(let serial): waiter.receive(.success(serial))
    case .open: openLater(for: waiter)
    case .wait: break
    case .refuse: waiter.receive(.failure(closed))
    }
  }

  /// Takes an idle connection for a waiter that polls, or removes the waiter if `leaves` is true and there is none.
  ///
  /// Both are one step, because no other waiter would be told of a connection that became idle for this one in between.
  ///
  /// - Returns: The connection, which is nil if another thread has taken it or if the waiter has already received one,
  ///   and whether the waiter was removed without a connection.
  func takeIdle(
    for waiter: Waiter, orLeaveIf leaves: Bool
  ) -> (serial: SerialConnection?, hasLeft: Bool) {
    let (serial, hasLeft, closers) = state.withLock { state in
      let index = state.waiters.firstIndex { $0 === waiter }
      guard let index else { return (nil as SerialConnection?, false, [DispatchSemaphore]()) }
      if !state.isHeldBack, index < state.idle.count, let serial = state.idle.popLast() {
        state.waiters.remove(at: index)
        return (serial, false, [])
      }
      guard leaves else { return (nil, false, []) }
      state.waiters.remove(at: index)
      return (nil, true, state.takeClosers())
    }
    for closer in closers { closer.signal() }
    return (serial, hasLeft)
  }

  /// Removes a waiter that is never told of an idle connection, and no longer needs one.
  func forget(_ waiter: Waiter) {
    let closers = state.withLock { state in
      state.waiters.removeAll { $0 === waiter }
      return state.takeClosers()
    }
    for closer in closers { closer.signal() }
  }

  /// Returns a connection to the pool, which gives it to an overdue waiter or marks it as idle.
  func give(_ serial: SerialConnection) {
    let isUsable = serial.isUsable
    enum Next {
      case nothing
      case served(Waiter)
      case called(Waiter)
      case opening
    }
    let (closers, next) = state.withLock { state -> ([DispatchSemaphore], Next) in
      guard isUsable else {
        // A body has closed or replaced the connection, so the next waiter receives a new one.
        state.connections.removeAll { $0 === serial }
        return (state.takeClosers(), state.waiters.isEmpty ? .nothing : .opening)
      }
      // The connections that are already idle are intended for the first waiters, so this one is for the next.
      let place = state.idle.count
      guard place < state.waiters.count, !state.isHeldBack else {
        state.idle.append(serial)
        return (state.takeClosers(), .nothing)
      }
      let waiter = state.waiters[place]
      if waiter.isOverdue { return ([], .served(state.waiters.remove(at: place))) }
      state.idle.append(serial)
      let isCalled = waiter.isCalled.exchange(true, ordering: .relaxed)
      return ([], isCalled ? .nothing : .called(waiter))
    }
    for closer in closers { closer.signal() }
    switch next {
    case .nothing: break
    case .served(let waiter): waiter.receive(.success(serial))
    case .called(let waiter): waiter.call?()
    case .opening: serve()
    }
  }

  /// Serves as many waiters as there are connections for.
  private func serve() {
    while true {
      let (waiter, serial) = state.withLock { state -> (Waiter?, SerialConnection?) in
        guard !state.isHeldBack, !state.waiters.isEmpty else { return (nil, nil) }
        if let serial = state.idle.popLast() { return (state.waiters.removeFirst(), serial) }
        guard state.hasRoom(openingLimit) else { return (nil, nil) }
        state.openings += 1
        return (state.waiters.removeFirst(), nil)
      }
      guard let waiter else { return }
      if let serial {
        waiter.receive(.success(serial))
      } else {
        openLater(for: waiter)
      }
    }
  }

  /// Opens another connection for a waiter, without delaying a task or another opening.
  private func openLater(for waiter: Waiter) {
    // The waiter receives the error.
    DispatchQueue(label: label + ".opening", qos: qos).async { [self] in try? open(for: waiter) }
  }

  /// Opens another connection, for which there is room.
  ///
  /// `waiter` receives the connection or the error. Without a waiter, the connection becomes idle.
  func open(for waiter: Waiter?) throws {
    let thread = sluice_current_thread()
    let statements = state.withLock { state in
      state.openers.append(thread)
      return state.warmStatements
    }
    let result = Result {
      guard let location else {
        throw SQLiteError(
          .misuse, "A read has closed the connection of the snapshot, or ended its transaction")
      }
      let connection = try location.openReader()
      // A statement that no longer compiles throws where it is used.
      try? connection.warmUp(statements)
      return SerialConnection(label: label, qos: qos, target: nil, of: .pool, connection)
    }
    let answer: Result<SerialConnection, any Error>? = state.withLock { state in
      state.openings -= 1
      state.openers.removeAll { $0 == thread }
      guard case .success(let serial) = result else { return result }
      state.connections.append(serial)
      if waiter != nil, !state.isHeldBack, !state.isInterrupted { return result }
      state.idle.append(serial)
      if state.isInterrupted { return .failure(closed) }
      if let waiter { state.waiters.insert(waiter, at: 0) }
      return nil
    }
    if case .success = result { keeper?.noteReader() }
    if let answer { waiter?.receive(answer) }
    // An idle connection is for the next waiter, and a failed attempt leaves room to open one.
    if case .success = answer { return }
    noteEnd()
    _ = try answer?.get()
  }

  private func noteEnd() {
    let closers = state.withLock { $0.takeClosers() }
    for closer in closers { closer.signal() }
    serve()
  }

  var closed: SQLiteError {
    SQLiteError(.misuseClosed, "The \(location == nil ? "snapshot" : "pool") is closed")
  }
}

// Closing and suspending.
extension ReaderPool.State {
  /// Removes and returns the semaphores of `closers`, if all earlier work has ended.
  fileprivate mutating func takeClosers() -> [DispatchSemaphore] {
    guard !closers.isEmpty, waiters.isEmpty, busyCount == 0 else { return [] }
    defer { closers = [] }
    return closers
  }
}

extension ReaderPool {
  /// Stops running work, and hands out no connection until `resume()` is called.
  func halt() {
    state.withLock { state in
      state.isSuspended = true
      for serial in state.connections { serial.halt() }
    }
    // A connection that is still being opened is not handed out either: once it is open, it becomes idle.
  }

  /// Waits until no connection holds a lock, or until all connections are resumed.
  func waitForHalt() throws {
    for serial in state.withLock({ $0.connections }) { try serial.waitForHalt() }
  }

  /// Stops handing out connections until `letGo()` is called; connections in use are returned as usual.
  func holdBack() { state.withLock { $0.barrierCount += 1 } }

  func letGo() {
    state.withLock { $0.barrierCount -= 1 }
    serve()
  }

  /// Whether a connection is in use or being opened.
  var isBusy: Bool { state.withLock { $0.busyCount > 0 } }

  func resume() {
    state.withLock { state in
      state.isSuspended = false
      for serial in state.connections { serial.resume() }
    }
    serve()
  }

  /// Closes all connections, after earlier calls or immediately.
  func close(_ mode: CloseMode) throws {
    let over = DispatchSemaphore(value: 0)
    let (waiters, connections, streams) = state.withLock { state in
      state.isClosed = true
      if mode == .interrupt { state.isInterrupted = true }
      var gone: [Waiter] = []
      if mode == .interrupt { swap(&gone, &state.waiters) }
      if state.waiters.isEmpty, state.busyCount == 0 {
        over.signal()
      } else {
        state.closers.append(over)
      }
      return (gone, state.connections, Array(state.leases.keys))
    }
    for waiter in waiters { waiter.receive(.failure(closed)) }
    for stream in streams { cancelLease(of: stream) }
    if mode == .interrupt {
      for serial in connections {
        serial.stopForGood()
        // A job that got its turn just before a halt can now run, and throws because the pool is closed.
        serial.resume()
      }
      // SQLite ignores an interrupt that arrives just before a statement begins, so interrupt until all work has ended.
      while over.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
        for serial in connections { serial.interruptState.interrupt() }
      }
    } else {
      over.wait()
    }
    let open = state.withLock { state in
      defer {
        state.connections = []
        state.idle = []
      }
      return state.connections
    }
    var failure: (any Error)?
    for serial in open {
      do { try serial.close(.interrupt, checkpoints: false) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
