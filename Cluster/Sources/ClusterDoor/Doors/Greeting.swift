/// A client of a door, until it has named the node that it wants to reach.
final class Greeting: LoopMember {
  /// The node that a client wants to reach.
  enum Target {
    case any
    case node(DoorAddress)
  }

  /// The first bytes of each word that names a node.
  private static let magic: [UInt8] = [0x53, 0x4c]

  private let loop: DoorLoop
  private var socket: DoorSocket?
  private let deadline: ContinuousClock.Instant
  private var bytes: [UInt8] = []
  private let ended: (Target?) -> Void

  init(
    _ socket: DoorSocket, _ loop: DoorLoop, within limit: Duration,
    ended: @escaping (Target?) -> Void
  ) {
    self.socket = socket
    self.loop = loop
    self.ended = ended
    deadline = loop.instant + limit
  }

  func start() {
    loop.add(self)
    advance()
  }

  func advance() {
    guard let socket else { return }
    while bytes.count < 8 {
      // The bytes after the word stay in the socket.
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: loop.piece[..<(8 - bytes.count)])
      switch unsafe socket.read(into: room) {
      case .wait: return loop.watch(socket, .input, for: self)
      case .end, .failure: return finish(nil)
      case .count(let count): unsafe bytes.append(contentsOf: loop.piece[..<count])
      }
    }
    finish(target)
  }

  private var target: Target? {
    guard bytes.starts(with: Self.magic) else { return nil }
    let address = DoorAddress(
      bytes: Array(bytes[4...]), port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    guard address.port == 0 else { return .node(address) }
    return address.bytes.allSatisfy { $0 == 0 } ? .any : nil
  }

  func tick(_ now: ContinuousClock.Instant) { if now >= deadline { finish(nil) } }

  func end() { finish(nil) }

  private func finish(_ target: Target?) {
    guard let socket else { return }
    self.socket = nil
    loop.forget(socket)
    loop.remove(self)
    ended(target)
  }
}
