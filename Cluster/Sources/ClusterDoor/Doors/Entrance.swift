/// A connection that a node's door has accepted, until it has sent a valid request.
final class Entrance: LoopMember {
  /// A connection that may reach the node.
  struct Arrival {
    let socket: DoorSocket
    /// The owner of the certificate; nil without TLS.
    let identity: DoorIdentity?
    let checker: FrameChecker
    /// The bytes that were received.
    let bytes: [UInt8]
  }

  let address: DoorAddress
  private let loop: DoorLoop
  private let limits: DoorLimits
  private let deadline: ContinuousClock.Instant
  private var socket: DoorSocket?
  private var identity: DoorIdentity?
  /// Whether the handshake has begun.
  private var hasBegun = false
  private var checker: FrameChecker?
  private var bytes: [UInt8] = []
  /// Whether the other side should learn why it was refused.
  private var isRefusal = true
  /// Called once, with the connection, with the reason why it was refused, or with nil if the other side has left.
  private let ended: (Entrance, Result<Arrival, DoorError>?) -> Void

  init(
    _ socket: DoorSocket, from address: DoorAddress, _ loop: DoorLoop, _ limits: DoorLimits,
    ended: @escaping (Entrance, Result<Arrival, DoorError>?) -> Void
  ) {
    self.socket = socket
    self.address = address
    self.loop = loop
    self.limits = limits
    self.ended = ended
    deadline = loop.instant + limits.entranceTime
    if socket.tls == nil { checker = FrameChecker(role: .node, limit: limits.messageSize) }
  }

  func start() {
    loop.add(self)
    advance()
  }

  func advance() {
    guard let socket else { return }
    if checker == nil, let tls = socket.tls {
      if !hasBegun {
        guard let beginsTLS = socket.beginsTLS else { return loop.watch(socket, .input, for: self) }
        guard beginsTLS else { return refusePlain(socket) }
        hasBegun = true
      }
      switch tls.shakeHands() {
      case .needsInput: return loop.watch(socket, .input, for: self)
      case .needsOutput: return loop.watch(socket, .output, for: self)
      case .end: return finish(nil)
      case .failure(let reason): return finish(.failure(DoorError(reason)))
      case .count:
        do {
          let identity = try tls.identity()
          self.identity = identity
          checker = FrameChecker(role: identity.role, limit: limits.messageSize)
        } catch {
          return finish(.failure(DoorError("\(error)")))
        }
      }
    }
    receive(socket)
  }

  /// Receives until the first request is complete, or until it is so long that the node gets its beginning.
  private func receive(_ socket: DoorSocket) {
    while true {
      let room = unsafe UnsafeMutableRawBufferPointer(
        rebasing: loop.piece[..<(DoorLoop.pieceSize - bytes.count)])
      switch unsafe socket.read(into: room) {
      case .wait: return loop.watch(socket, .input, for: self)
      case .end: return finish(nil)
      case .failure(let reason):
        return finish(socket.tls == nil ? nil : .failure(DoorError(reason)))
      case .count(let count):
        let received = unsafe UnsafeRawBufferPointer(rebasing: loop.piece[..<count])
        do { try unsafe checker?.check(received) } catch {
          if identity != nil {
            let failure = FailureFrame.bytes(FailureFrame.notAuthorized, "\(error)")
            _ = unsafe failure.withUnsafeBytes { unsafe socket.write($0) }
          }
          return finish(.failure(DoorError("\(error)")))
        }
        unsafe bytes.append(contentsOf: received)
        guard let checker, checker.requestCount > 0 || bytes.count == DoorLoop.pieceSize else {
          continue
        }
        return finish(
          .success(Arrival(socket: socket, identity: identity, checker: checker, bytes: bytes)))
      }
    }
  }

  /// Tells a client without TLS, in its own protocol, what it needs.
  private func refusePlain(_ socket: DoorSocket) {
    socket.sendPlainly(
      FailureFrame.bytes(
        FailureFrame.notAuthorized,
        "The node requires TLS: connect through sluice-node door, or pass --keys"))
    socket.tls = nil
    finish(.failure(DoorError("it does not use TLS")))
  }

  func tick(_ now: ContinuousClock.Instant) {
    guard now >= deadline else { return }
    isRefusal = false
    finish(.failure(DoorError("it has sent no request in time")))
  }

  func end() { finish(nil) }

  /// Closes the connection, because another one needs its place.
  func giveUp() {
    isRefusal = false
    finish(.failure(DoorError("too many connections have sent no request yet")))
  }

  private func finish(_ result: Result<Arrival, DoorError>?) {
    guard let socket else { return }
    self.socket = nil
    loop.forget(socket)
    loop.remove(self)
    ended(self, result)
    switch result {
    case .success?: break
    case .failure? where isRefusal: Farewell.begin(socket, loop)
    case .failure?, nil: socket.close()
    }
  }
}
