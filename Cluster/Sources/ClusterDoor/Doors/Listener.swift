import Glibc

/// A socket that accepts connections.
final class Listener: LoopMember {
  /// The number of connections that are accepted before others get their turn.
  private static let batch = 64

  private let loop: DoorLoop
  private let socket: DoorSocket
  private let accept: (_ listener: Int32) -> Bool
  private var isPaused = false
  private var isEnded = false

  /// Creates a listener; `accept` accepts one connection, and returns whether there was one.
  init(_ loop: DoorLoop, _ descriptor: Int32, accept: @escaping (_ listener: Int32) -> Bool) {
    self.loop = loop
    socket = DoorSocket(descriptor)
    self.accept = accept
  }

  func start() {
    loop.add(self)
    loop.watch(socket, .input, for: self)
  }

  func advance() {
    guard !isEnded, !isPaused else { return }
    for _ in 0..<Self.batch {
      errno = 0
      if accept(socket.descriptor) { continue }
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // The connection still waits, so the system would report it again at once.
        isPaused = true
        loop.watch(socket, [], for: self)
      default: break
      }
      return
    }
  }

  func tick(_ now: ContinuousClock.Instant) {
    guard isPaused, !isEnded else { return }
    isPaused = false
    loop.watch(socket, .input, for: self)
  }

  func end() {
    guard !isEnded else { return }
    isEnded = true
    loop.forget(socket)
    loop.remove(self)
    socket.close()
  }
}
