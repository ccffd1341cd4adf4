import Glibc

/// A connection to a node's door that is being made.
final class Dialing: LoopMember {
  private let loop: DoorLoop
  private let address: DoorAddress
  private let context: TLSContext
  private let deadline: ContinuousClock.Instant
  private var socket: DoorSocket?
  private var isConnected = false
  /// Called once, with a connection that is ready, or with the reason why there is none.
  private let ended: (Result<DoorSocket, DoorError>) -> Void

  init(
    _ loop: DoorLoop, to address: DoorAddress, _ context: TLSContext, within limit: Duration,
    ended: @escaping (Result<DoorSocket, DoorError>) -> Void
  ) {
    self.loop = loop
    self.address = address
    self.context = context
    self.ended = ended
    deadline = loop.instant + limit
  }

  func start() {
    let descriptor = SystemSockets.open(AF_INET)
    guard descriptor >= 0 else { return finish("a socket cannot be made: \(systemMessage(errno))") }
    SystemSockets.prepareTCP(descriptor)
    let socket = DoorSocket(descriptor)
    self.socket = socket
    loop.add(self)
    let code = SystemSockets.connect(descriptor, to: address)
    switch code {
    case 0: shakeHands(socket)
    case EINPROGRESS: loop.watch(socket, .output, for: self)
    default: finish(systemMessage(code))
    }
  }

  func advance() {
    guard let socket else { return }
    if !isConnected {
      let code = SystemSockets.connectionError(socket.descriptor)
      guard code == 0 else { return finish(systemMessage(code)) }
    }
    shakeHands(socket)
  }

  private func shakeHands(_ socket: DoorSocket) {
    isConnected = true
    do {
      if socket.tls == nil {
        socket.tls = try context.connecting(socket.descriptor, to: address)
      }
      guard let tls = socket.tls else { return }
      switch tls.shakeHands() {
      case .needsInput: loop.watch(socket, .input, for: self)
      case .needsOutput: loop.watch(socket, .output, for: self)
      case .end: finish("the node closed the connection")
      case .failure(let reason): finish(reason)
      case .count:
        guard try tls.identity().role == .node else {
          return finish("the certificate is not that of a node")
        }
        self.socket = nil
        loop.forget(socket)
        loop.remove(self)
        ended(.success(socket))
      }
    } catch {
      finish("\(error)")
    }
  }

  func tick(_ now: ContinuousClock.Instant) {
    guard now >= deadline else { return }
    finish(isConnected ? "the handshake takes too long" : "the machine does not answer")
  }

  func end() { finish("the door is closed") }

  private func finish(_ reason: String) {
    loop.remove(self)
    if let socket {
      loop.forget(socket)
      socket.close()
    }
    socket = nil
    ended(.failure(DoorError("\(address): \(reason)")))
  }
}
