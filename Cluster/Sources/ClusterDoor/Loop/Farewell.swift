import Glibc

/// A connection that has got its last bytes, and is closed when the other side has read them.
///
/// The system discards bytes on their way if a socket is closed while received bytes wait in it. The other side would then
/// not learn why it was refused.
final class Farewell: LoopMember {
  private static let time = Duration.seconds(1)
  /// The number of farewells in a loop; further connections are closed at once.
  private static let limit = 256

  private let loop: DoorLoop
  private let descriptor: Int32
  private let socket: DoorSocket
  private let deadline: ContinuousClock.Instant
  private let ended: () -> Void
  private var isEnded = false

  init(_ socket: DoorSocket, _ loop: DoorLoop, ended: @escaping () -> Void = {}) {
    self.loop = loop
    self.socket = socket
    self.ended = ended
    descriptor = socket.descriptor
    deadline = loop.instant + Self.time
  }

  /// Closes a socket, which no loop watches, after the other side has read everything.
  static func begin(
    _ socket: DoorSocket, _ loop: DoorLoop, ended: @escaping () -> Void = {}
  ) {
    guard loop.farewellCount < limit else {
      socket.close()
      return ended()
    }
    loop.farewellCount += 1
    let farewell = Farewell(socket, loop, ended: ended)
    socket.tls?.close()
    socket.tls = nil
    shutdown(socket.descriptor, Int32(SHUT_WR))
    loop.add(farewell)
    farewell.advance()
  }

  func advance() {
    guard !isEnded else { return }
    while true {
      let count = unsafe recv(descriptor, loop.piece.baseAddress, loop.piece.count, 0)
      if count > 0 { continue }
      if count < 0, errno == EAGAIN { return loop.watch(socket, .input, for: self) }
      return end()
    }
  }

  func tick(_ now: ContinuousClock.Instant) { if now >= deadline { end() } }

  func end() {
    guard !isEnded else { return }
    isEnded = true
    loop.farewellCount -= 1
    loop.forget(socket)
    loop.remove(self)
    socket.close()
    ended()
  }
}
