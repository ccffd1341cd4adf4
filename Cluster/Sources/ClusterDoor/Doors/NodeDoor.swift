import CEpoll
import Glibc
import Synchronization

/// The door of a node: it accepts connections at the node's address, and forwards only valid requests of permitted clients.
///
/// The node listens on a socket that only its own process can reach. Connections that have sent nothing valid yet are
/// served by another thread than clients, and clients by another one than nodes.
public final class NodeDoor: Sendable {
  /// The place of the node's own socket.
  public let inner: String
  public let limits: DoorLimits
  private let context: TLSContext?
  private let log: DoorLog
  private let entranceLoop: DoorLoop
  private let clientLoop: DoorLoop
  private let nodeLoop: DoorLoop
  private let counts = Mutex(Counts())
  private let waiting = Waiting()

  private struct Counts {
    var clients = 0
    var nodes = 0
  }

  /// The connections that the thread of the entrance uses.
  private final class Waiting: @unchecked Sendable {
    var entrances = Entrances()
  }

  /// Creates a door for a node that listens on the UNIX socket `inner`, whose name is abstract if it begins with "@".
  ///
  /// `context` contains the keys of the node. It is nil for connections without TLS, which may do everything.
  public init(
    to inner: String, _ context: TLSContext?, _ limits: DoorLimits, _ log: DoorLog
  ) throws {
    if let context, context.identity.role != .node {
      throw DoorError("The certificate of \"\(context.identity.name)\" is not that of a node")
    }
    signal(SIGPIPE, SIG_IGN)
    self.inner = inner
    self.context = context
    self.limits = limits
    self.log = log
    entranceLoop = try DoorLoop("door-entrance")
    clientLoop = try DoorLoop("door-clients")
    nodeLoop = try DoorLoop("door-nodes")
  }

  /// The name of an abstract socket that no other process can guess.
  public static func newInnerName() -> String {
    "@sluice-" + String(UInt64.random(in: .min ... .max), radix: 36)
      + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// Takes the port of an address, so that another process cannot use it; ``open(_:)`` accepts the connections.
  public func bind(at address: DoorAddress) throws -> Int32 {
    try SystemSockets.listening(at: address)
  }

  /// Accepts the connections of a socket that ``bind(at:)`` has returned.
  public func open(_ descriptor: Int32) {
    entranceLoop.perform { [self] in
      Listener(entranceLoop, descriptor) { [self] in acceptOne($0) }.start()
    }
  }

  /// Closes all connections; without this call, the door exists as long as the process.
  public func stop() {
    for loop in [entranceLoop, clientLoop, nodeLoop] { loop.stop() }
  }
}

// Runs on the thread of the entrance.
extension NodeDoor {
  private func acceptOne(_ listener: Int32) -> Bool {
    guard let (descriptor, address) = SystemSockets.accept(listener) else {
      let code = errno
      if code == EMFILE || code == ENFILE {
        log.tell(
          "No connection can be accepted: \(systemMessage(code))", kind: "accept",
          pause: .seconds(1))
        // A place for the connection that is waiting.
        waiting.entrances.mostDispensable?.giveUp()
      }
      errno = code
      // A connection that ended before it was accepted is no reason to pause.
      return code == ECONNABORTED || code == EINTR
    }
    if waiting.entrances.count >= limits.entrances {
      waiting.entrances.mostDispensable?.giveUp()
    }
    SystemSockets.prepareTCP(descriptor)
    let socket = DoorSocket(descriptor)
    do { socket.tls = try context?.accepting(descriptor) } catch {
      log.refuse(address.description, "\(error)")
      socket.close()
      return true
    }
    let entrance = Entrance(socket, from: address, entranceLoop, limits) {
      [self] entrance, result in
      waiting.entrances.remove(entrance)
      switch result {
      case .success(let arrival)?: admit(arrival, from: address)
      case .failure(let error)?: log.refuse(address.description, error.description)
      case nil: break
      }
    }
    waiting.entrances.insert(entrance)
    entrance.start()
    return true
  }

  private func admit(_ arrival: Entrance.Arrival, from address: DoorAddress) {
    let isStream = arrival.checker.isStream
    // A node also sends requests of clients, for example while it joins.
    let isNode = isStream || arrival.identity?.role == .node
    let limit = isNode ? limits.nodeConnections : limits.connections
    let isPermitted = counts.withLock { counts in
      guard (isNode ? counts.nodes : counts.clients) < limit else { return false }
      if isNode { counts.nodes += 1 } else { counts.clients += 1 }
      return true
    }
    guard isPermitted else {
      let reason = "\(limit) others are connected, which is the limit"
      log.refuse(address.description, reason)
      let failure = FailureFrame.bytes(FailureFrame.notLeader, reason)
      _ = unsafe failure.withUnsafeBytes { unsafe arrival.socket.write($0) }
      return Farewell.begin(arrival.socket, entranceLoop)
    }
    if let identity = arrival.identity { log.admit(address.host, identity) }
    let loop = isStream ? nodeLoop : clientLoop
    nonisolated(unsafe) let arrival = arrival
    loop.perform { [self] in unsafe forward(arrival, from: address, on: loop, isNode) }
  }
}

// Runs on the thread of the clients or of the nodes.
extension NodeDoor {
  private func forward(
    _ arrival: Entrance.Arrival, from address: DoorAddress, on loop: DoorLoop, _ isNode: Bool
  ) {
    LocalDialing(loop, to: inner, within: limits.stallTime) { [self] far in
      guard let far else {
        arrival.socket.close()
        release(isNode)
        return log.refuse(address.description, "the node does not accept connections")
      }
      var settings = Pump.Settings(limits: limits, isFarLocal: true)
      settings.checker = arrival.checker.isStream ? nil : arrival.checker
      settings.refuse = { [log] in log.refuse(address.description, $0) }
      settings.ended = { [self] in release(isNode) }
      Pump(loop, near: arrival.socket, far: far, received: arrival.bytes, settings).start()
    }.start()
  }

  private func release(_ isNode: Bool) {
    counts.withLock { if isNode { $0.nodes -= 1 } else { $0.clients -= 1 } }
  }
}

// Runs on any thread.
extension NodeDoor {
  /// Returns a socket that is connected to the door of another node, or nil if that is impossible within the time limit.
  ///
  /// With keys, the door moves the bytes between this socket and the other door through TLS.
  public func connectToPeer(_ address: DoorAddress) -> Int32? {
    guard let context else { return SystemSockets.connected(to: address, within: limits.dialTime) }
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else { return nil }
    let (outer, nodes) = (pair[0], pair[1])
    _ = fcntl(outer, F_SETFL, O_NONBLOCK)
    let outcome = Outcome()
    nodeLoop.perform { [self] in
      let near = DoorSocket(outer)
      Dialing(nodeLoop, to: address, context, within: limits.dialTime) {
        [self] result in
        switch result {
        case .success(let far):
          var settings = Pump.Settings(limits: limits, isFarLocal: false)
          settings.refuse = { [log] in log.refuse(address.description, $0) }
          Pump(nodeLoop, near: near, far: far, settings).start()
          outcome.set(true)
        case .failure(let error):
          near.close()
          log.tell(
            "A node cannot be reached: \(error)", kind: error.description, pause: .seconds(60))
          outcome.set(false)
        }
      }.start()
    }
    guard outcome.wait(limits.dialTime + .milliseconds(400)) else {
      close(nodes)
      return nil
    }
    return nodes
  }

  /// A result that another thread waits for.
  private final class Outcome: Sendable {
    private let value = Atomic(false)
    private let semaphore = Semaphore()

    func set(_ result: Bool) {
      value.store(result, ordering: .releasing)
      semaphore.signal()
    }

    func wait(_ limit: Duration) -> Bool {
      semaphore.wait(limit) && value.load(ordering: .acquiring)
    }
  }
}
