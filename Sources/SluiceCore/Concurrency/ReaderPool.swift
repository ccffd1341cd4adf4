import CSluice
import Dispatch
import Synchronization

/// The connections of a pool that read: they are opened on demand.
///
/// A thread that reads again and again finds its connection idle each time, also while others wait: if each read went to whoever
/// has waited longest, the threads would switch at each read. Who has waited for ten milliseconds is served before all others.
final class ReaderPool: Sendable {
  /// Where connections are opened; nil if those that there are are all.
  private let location: DatabaseLocation?
  private let label: String
  private let qos: DispatchQoS
  let limit: Int
  let state = Locked(State())

  struct State: Sendable {
    /// All that are open.
    var connections: [SerialConnection] = []
    /// Those that nobody uses; somebody who waits may be about to take one.
    var idle: [SerialConnection] = []
    /// How many are being opened.
    var openings = 0
    /// The threads that open one: what sets it up can come here.
    var openers: [UInt] = []
    var waiters: [Waiter] = []
    /// The connections that streams keep, by stream; these are in use.
    var leases: [UInt64: SerialConnection] = [:]
    var isSuspended = false
    /// How many barriers wait or run.
    var barrierCount = 0
    var isClosed = false
    /// Whether nothing that has not begun is to begin.
    var isInterrupted = false
    /// Who waits for the end of all that was begun.
    var closers: [DispatchSemaphore] = []

    /// Whether nobody is given a connection now.
    var isHeldBack: Bool { isSuspended || barrierCount > 0 }

    var busyCount: Int { connections.count - idle.count + openings }

    /// Whether one more connection can be opened: up to `limit`, or none unless all are gone.
    func hasRoom(_ limit: Int?) -> Bool { connections.count + openings < limit ?? 1 }

    func isHeld(by thread: UInt) -> Bool {
      openers.contains(thread)
        || connections.contains { $0.interruptState.holder.load(ordering: .relaxed) == thread }
    }
  }

  /// Somebody who wants a connection, and gets it, or hears why not.
  final class Waiter: Sendable {
    let take: @Sendable (Result<SerialConnection, any Error>) -> Void
    /// Tells a thread that waits of an idle connection, which another may take first.
    let call: (@Sendable () -> Void)?
    /// Whether `call` was called, which is done once; it changes under the lock of the pool.
    let isCalled = Atomic(false)
    /// From when on the waiter is given the next connection.
    let overdue: DispatchTime

    /// A waiter without `call` is given the next connection.
    init(
      call: (@Sendable () -> Void)? = nil,
      _ take: @escaping @Sendable (Result<SerialConnection, any Error>) -> Void
    ) {
      self.take = take
      self.call = call
      overdue = call == nil ? DispatchTime(uptimeNanoseconds: 0) : .now() + .milliseconds(10)
    }

    var isOverdue: Bool { call == nil || overdue <= .now() }
  }

  init(_ location: DatabaseLocation, limit: Int, label: String, qos: DispatchQoS) {
    self.location = location
    monitorsAccess = location.isMonitored
    self.limit = limit
    self.label = label
    self.qos = qos
  }

  /// Makes a pool of connections that are open, and to which no other is added.
  init(_ connections: [SerialConnection], label: String, qos: DispatchQoS) {
    location = nil
    monitorsAccess = connections.contains { $0.monitor != nil }
    limit = connections.count
    self.label = label
    self.qos = qos
    state.withLock { state in
      state.connections = connections
      state.idle = connections
    }
  }

  /// Whether anybody wants to know how long an access waits.
  let monitorsAccess: Bool

  /// How many connections are opened at most; nil if only an error can take the place of the last one.
  private var openingLimit: Int? { location == nil ? nil : limit }

  /// The current state of the pool.
  var snapshot: State { state.withLock { $0 } }

  /// Whether the calling thread has one of the connections, or opens one.
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

  /// A connection that nobody uses, unless it is not the time, or somebody wants to know how long that took.
  ///
  /// It throws if the thread has one already.
  func takeIdle(for thread: UInt) throws -> SerialConnection? {
    try state.withLock { state in
      guard !state.isHeld(by: thread) else { throw ConnectionPool.nested }
      guard !state.isHeldBack, !state.isClosed, !monitorsAccess else { return nil }
      return state.idle.popLast()
    }
  }

  /// Asks for a connection, which comes at once or later.
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
    case .serial(let serial): waiter.take(.success(serial))
    case .open: openLater(for: waiter)
    case .wait: break
    case .refuse: waiter.take(.failure(closed))
    }
  }

  /// The idle connection for a waiter, unless another has taken it, or the waiter was given one.
  func takeIdle(for waiter: Waiter) -> SerialConnection? {
    state.withLock { state in
      guard !state.isHeldBack, let index = state.waiters.firstIndex(where: { $0 === waiter }),
        index < state.idle.count, let serial = state.idle.popLast()
      else { return nil }
      state.waiters.remove(at: index)
      return serial
    }
  }

  /// Forgets somebody who has left; false if a connection was given already.
  @discardableResult
  func forget(_ waiter: Waiter) -> Bool {
    let (hasLeft, closers, isWanted) = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else {
        return (false, [DispatchSemaphore](), false)
      }
      state.waiters.remove(at: index)
      // The one that has left may be the only one that was called.
      return (true, state.takeClosers(), !state.idle.isEmpty && !state.waiters.isEmpty)
    }
    for closer in closers { closer.signal() }
    if isWanted { serve() }
    return hasLeft
  }

  /// Takes back a connection, which goes to whoever is overdue, or lies there for whoever comes first.
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
        // A body has closed it, or has put another one in its place: the next one is opened anew.
        state.connections.removeAll { $0 === serial }
        return (state.takeClosers(), state.waiters.isEmpty ? .nothing : .opening)
      }
      // Each idle connection is for one of those that wait, in their order.
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
    case .served(let waiter): waiter.take(.success(serial))
    case .called(let waiter): waiter.call?()
    case .opening: serve()
    }
  }

  /// Serves those who wait, as far as there are connections.
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
        waiter.take(.success(serial))
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
      guard let location else {
        throw SQLiteError(
          .misuse, "A read has closed the connection of the snapshot, or ended its transaction")
      }
      return try SerialConnection(
        label: label, qos: qos, target: nil, of: .pool, location.openReader())
    }
    let answer: Result<SerialConnection, any Error>? = state.withLock { state in
      state.openings -= 1
      state.openers.removeAll { $0 == thread }
      guard case .success(let serial) = result else { return result }
      state.connections.append(serial)
      guard state.isHeldBack || state.isInterrupted else { return result }
      state.idle.append(serial)
      if state.isInterrupted { return .failure(closed) }
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

  var closed: SQLiteError {
    SQLiteError(.misuse, "The \(location == nil ? "snapshot" : "pool") is closed")
  }
}

// How the connections come to an end, or to a halt.
extension ReaderPool.State {
  /// Those who wait for the end, if it has come.
  fileprivate mutating func takeClosers() -> [DispatchSemaphore] {
    guard !closers.isEmpty, waiters.isEmpty, busyCount == 0 else { return [] }
    defer { closers = [] }
    return closers
  }
}

extension ReaderPool {
  /// Keeps connections from being lent until `resume()`, and stops what runs.
  func halt() {
    state.withLock { state in
      state.isSuspended = true
      for serial in state.connections { serial.halt() }
    }
    // A connection that was being opened joins the idle ones.
  }

  /// Returns when no connection has a lock any more, or all go on.
  func waitForHalt() throws {
    for serial in state.withLock({ $0.connections }) { try serial.waitForHalt() }
  }

  /// Lends no connection until `letGo()`; those that are in use come back.
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

  /// Closes all connections, after those who were called before have had theirs, or at once.
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
    for waiter in waiters { waiter.take(.failure(closed)) }
    for stream in streams { cancelLease(of: stream) }
    if mode == .interrupt {
      for serial in connections {
        serial.stopForGood()
        // What had its turn just before a halt hears that it is too late.
        serial.resume()
      }
    }
    over.wait()
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
