import CEpoll
import Glibc
import Synchronization

/// The door beside a program: it accepts connections at a UNIX socket, and forwards them to nodes through TLS.
///
/// A client first sends a word that names a node. The door answers with a failure of dqlite's protocol, which contains the
/// reason, if it does not reach the node.
public final class ClientDoor: Sendable {
  private let loop: DoorLoop
  private let context: TLSContext
  private let addresses: [DoorAddress]
  private let limits: DoorLimits
  private let log: DoorLog
  private let path: String
  private let state = Mutex(State())

  private struct State {
    var connections = 0
    /// The index of the address that the next client gets that may have any.
    var next = 0
    /// The times at which addresses could not be reached.
    var failures: [DoorAddress: ContinuousClock.Instant] = [:]
    var isOpen = false
  }

  /// Creates a door to the nodes at `addresses`, which ``open(mode:)`` opens.
  public init(
    at path: String, to addresses: [DoorAddress], _ context: TLSContext,
    _ limits: DoorLimits, _ log: DoorLog
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    self.path = path
    self.addresses = addresses
    self.context = context
    self.limits = limits
    self.log = log
    loop = try DoorLoop("door")
  }

  /// Accepts connections.
  ///
  /// - Parameter mode: The permissions of the socket's file; users who may write to it reach the nodes.
  /// - Throws: ``DoorError`` if another door uses the path.
  public func open(mode: UInt32 = 0o600) throws {
    let descriptor = try DoorFile.listening(at: path, mode: mode)
    state.withLock { $0.isOpen = true }
    loop.perform { [self] in
      Listener(loop, descriptor) { [self] in acceptOne($0) }.start()
    }
  }

  /// Closes all connections, and deletes the file of the socket.
  ///
  /// Without this call, the door exists as long as the process.
  public func stop() {
    loop.stop()
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    if wasOpen { _ = unsafe unlink(path) }
  }
}

// Runs on the thread of the loop.
extension ClientDoor {
  private func acceptOne(_ listener: Int32) -> Bool {
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = accept4(listener, nil, nil, flags)
    guard descriptor >= 0 else { return errno == ECONNABORTED || errno == EINTR }
    let socket = DoorSocket(descriptor)
    let isPermitted = state.withLock { state in
      guard state.connections < limits.connections else { return false }
      state.connections += 1
      return true
    }
    guard isPermitted else {
      socket.close()
      log.refuse("A client", "\(limits.connections) others are connected, which is the limit")
      return true
    }
    Greeting(socket, loop, within: limits.entranceTime) { [self] address in
      guard let address else {
        socket.close()
        return release()
      }
      dial(socket, address)
    }.start()
    return true
  }

  private func dial(_ near: DoorSocket, _ address: Greeting.Target) {
    switch address {
    case .node(let address): dial(near, [address][...], limits.dialTime, [])
    case .any:
      // A client waits about a second for all attempts together.
      let limit = addresses.count > 1 ? limits.dialTime / 2 : limits.dialTime
      dial(near, nextAddresses()[...], limit, [])
    }
  }

  /// Connects to the first of the addresses that can be reached.
  private func dial(
    _ near: DoorSocket, _ rest: ArraySlice<DoorAddress>, _ limit: Duration, _ reasons: [String]
  ) {
    guard let address = rest.first else {
      return answer(near, reasons.joined(separator: "; "))
    }
    Dialing(loop, to: address, context, within: limit) { [self] result in
      switch result {
      case .success(let far):
        state.withLock { $0.failures[address] = nil }
        pump(near, far, address)
      case .failure(let error):
        if addresses.contains(address) {
          state.withLock { $0.failures[address] = loop.instant }
        }
        dial(near, rest.dropFirst(), limit, reasons + [error.description])
      }
    }.start()
  }

  /// Returns the addresses in an order that begins with another one each time, because a node can answer without knowing
  /// the leader, and with those at the end that could not be reached a moment ago.
  private func nextAddresses() -> [DoorAddress] {
    let now = loop.instant
    return state.withLock { state in
      let first = state.next
      state.next = (first + 1) % addresses.count
      let order = addresses[first...] + addresses[..<first]
      let doubtful = state.failures.filter { now - $0.value < .seconds(10) }
      return order.filter { doubtful[$0] == nil } + order.filter { doubtful[$0] != nil }
    }
  }

  private func pump(_ near: DoorSocket, _ far: DoorSocket, _ address: DoorAddress) {
    var settings = Pump.Settings(limits: limits, isFarLocal: false)
    settings.refuse = { [log] in log.refuse("A client of \(address)", $0) }
    settings.failureAnswer = { [log] reason in
      let reason = "\(address): \(reason)"
      log.tell("A node ended a connection: \(reason)", kind: reason, pause: .seconds(60))
      return FailureFrame.bytes(FailureFrame.notLeader, reason)
    }
    settings.ended = { [self] in release() }
    Pump(loop, near: near, far: far, settings).start()
  }

  private func answer(_ near: DoorSocket, _ reason: String) {
    log.tell("No node was reached: \(reason)", kind: reason, pause: .seconds(60))
    // The answer fits into the buffer of the socket.
    let failure = FailureFrame.bytes(FailureFrame.notLeader, reason)
    _ = unsafe failure.withUnsafeBytes { unsafe near.write($0) }
    Farewell.begin(near, loop) { [self] in release() }
  }

  private func release() { state.withLock { $0.connections -= 1 } }
}
