import CEpoll
import Glibc
import Synchronization

/// An object that a loop calls when its sockets are ready.
protocol LoopMember: AnyObject {
  /// Continues after the system has reported events of one of its sockets.
  func advance()
  /// Checks the time limits.
  func tick(_ now: ContinuousClock.Instant)
  /// Closes all sockets, because the loop ends.
  func end()
}

/// A thread that waits for the sockets of many connections.
///
/// Only ``perform(_:)`` and ``stop()`` may be called from other threads.
@safe final class DoorLoop: @unchecked Sendable {
  /// The number of bytes that a connection moves at once.
  static let pieceSize = 1 << 16
  private static let tickTime = Duration.milliseconds(200)

  private let poll: Int32
  private let wakeUp: Int32
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let isStopped = Atomic(false)
  private let now: @Sendable () -> ContinuousClock.Instant
  // The loop's own thread uses the following.
  /// A buffer for the bytes that a connection moves at the moment.
  let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 8)
  private var ends: [UInt64: (socket: DoorSocket, owner: any LoopMember)] = [:]
  private var members: [ObjectIdentifier: any LoopMember] = [:]
  private var postponed: [any LoopMember] = []
  /// The number of connections that are being closed.
  var farewellCount = 0
  private var lastToken: UInt64 = 0
  private var nextTick: ContinuousClock.Instant

  /// Creates a loop, and starts its thread.
  init(
    _ name: String, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws {
    self.now = now
    nextTick = now()
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard poll >= 0, wakeUp >= 0 else { throw DoorError.system("The door cannot wait for sockets") }
    var event = unsafe epoll_event()
    unsafe event.events = EPOLLIN.rawValue
    unsafe event.data.u64 = 0
    _ = unsafe epoll_ctl(poll, EPOLL_CTL_ADD, wakeUp, &event)
    detachThread(name) { self.run() }
  }

  deinit {
    close(poll)
    close(wakeUp)
    unsafe piece.deallocate()
  }

  /// The current time.
  var instant: ContinuousClock.Instant { now() }

  /// Calls `job` on the thread of the loop.
  func perform(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
    var one: UInt64 = 1
    _ = unsafe write(wakeUp, &one, 8)
  }

  /// Ends the thread, after it has closed all connections.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    perform {}
  }

  /// Calls the member for its time limits until ``remove(_:)``.
  func add(_ member: any LoopMember) {
    if members.isEmpty { nextTick = now() + Self.tickTime }
    members[ObjectIdentifier(member)] = member
  }

  func remove(_ member: any LoopMember) { members[ObjectIdentifier(member)] = nil }

  /// Calls the member again after the others.
  func postpone(_ member: any LoopMember) { postponed.append(member) }

  /// Waits for these events of a socket, on behalf of a member; for none, the system does not look at the socket.
  func watch(_ socket: DoorSocket, _ interest: DoorSocket.Interest, for owner: any LoopMember) {
    guard interest != socket.interest || socket.token == 0 && interest != [] else { return }
    guard interest != [] else { return forget(socket) }
    let isNew = socket.token == 0
    if isNew {
      lastToken += 1
      socket.token = lastToken
      ends[lastToken] = (socket, owner)
    }
    socket.interest = interest
    var event = unsafe epoll_event()
    unsafe event.events = interest.rawValue
    unsafe event.data.u64 = socket.token
    _ = unsafe epoll_ctl(poll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket.descriptor, &event)
  }

  /// Waits no longer for events of a socket.
  func forget(_ socket: DoorSocket) {
    guard socket.token != 0 else { return }
    ends[socket.token] = nil
    socket.token = 0
    socket.interest = []
    var event = unsafe epoll_event()
    _ = unsafe epoll_ctl(poll, EPOLL_CTL_DEL, socket.descriptor, &event)
  }

  private func run() {
    var events = unsafe [epoll_event](repeating: epoll_event(), count: 128)
    while !isStopped.load(ordering: .acquiring) {
      let wait: Int32 = !postponed.isEmpty ? 0 : members.isEmpty ? -1 : 100
      let count = unsafe epoll_wait(poll, &events, 128, wait)
      for index in 0..<max(0, Int(count)) {
        unsafe handle(events[index].data.u64, events[index].events)
      }
      let again = postponed
      postponed = []
      for member in again { member.advance() }
      tick()
    }
    for member in Array(members.values) { member.end() }
    runJobs()
  }

  private func handle(_ token: UInt64, _ events: UInt32) {
    guard token != 0 else {
      var count: UInt64 = 0
      _ = unsafe read(wakeUp, &count, 8)
      return runJobs()
    }
    // An earlier event may have closed the socket.
    guard let (socket, owner) = ends[token] else { return }
    socket.note(events)
    owner.advance()
  }

  private func runJobs() {
    let jobs = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in jobs { job() }
  }

  private func tick() {
    guard !members.isEmpty else { return }
    let instant = now()
    guard instant >= nextTick else { return }
    nextTick = instant + Self.tickTime
    for member in Array(members.values) { member.tick(instant) }
  }
}

/// Starts a thread with a name that tools of the system show.
private func detachThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  let box = unsafe Unmanaged.passRetained(ThreadBody(name, body))
  var thread = pthread_t()
  let status = unsafe pthread_create(
    &thread, nil,
    { argument in
      guard let argument = unsafe argument else { return nil }
      let body = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
      _ = unsafe pthread_setname_np(pthread_self(), body.name)
      body.body()
      return nil
    }, box.toOpaque())
  precondition(status == 0, "The system has no thread for a door")
  pthread_detach(thread)
}

private final class ThreadBody {
  let name: String
  let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
