import Glibc

/// A connection to the node of this process, which accepts it as soon as it is not busy.
final class LocalDialing: LoopMember {
  private let loop: DoorLoop
  private let path: String
  private let deadline: ContinuousClock.Instant
  private var socket: DoorSocket?
  private let ended: (DoorSocket?) -> Void

  init(
    _ loop: DoorLoop, to path: String, within limit: Duration,
    ended: @escaping (DoorSocket?) -> Void
  ) {
    self.loop = loop
    self.path = path
    self.ended = ended
    deadline = loop.instant + limit
  }

  func start() {
    let descriptor = SystemSockets.open(AF_UNIX)
    guard descriptor >= 0 else { return ended(nil) }
    socket = DoorSocket(descriptor)
    loop.add(self)
    advance()
  }

  func advance() {
    guard let socket else { return }
    switch SystemSockets.connect(socket.descriptor, toPath: path) {
    case 0: finish(socket)
    case EAGAIN, EINTR: break
    default: finish(nil)
    }
  }

  func tick(_ now: ContinuousClock.Instant) { if now < deadline { advance() } else { finish(nil) } }

  func end() { finish(nil) }

  private func finish(_ result: DoorSocket?) {
    guard let socket else { return }
    self.socket = nil
    loop.remove(self)
    if result == nil { socket.close() }
    ended(result)
  }
}
