import CEpoll
import Glibc

/// A connected socket, with or without TLS, which never waits.
final class DoorSocket {
  /// The events for which a loop waits.
  struct Interest: OptionSet {
    let rawValue: UInt32
    static let input = Interest(rawValue: EPOLLIN.rawValue)
    static let output = Interest(rawValue: EPOLLOUT.rawValue)
  }

  /// The outcome of an attempt to move bytes.
  enum Outcome {
    case count(Int)
    /// Nothing can be moved at the moment.
    case wait
    case end
    case failure(String)
  }

  private(set) var descriptor: Int32
  /// The TLS of the connection; nil if its bytes are sent as they are.
  var tls: TLSSession?
  /// The number by which a loop knows the socket; 0 if none does.
  var token: UInt64 = 0
  var interest: Interest = []
  /// Whether bytes may have arrived.
  private(set) var mayRead = true

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close() }

  /// Whether the socket can be used.
  var isOpen: Bool { descriptor >= 0 }

  /// Notes the events that the system has reported.
  func note(_ events: UInt32) {
    if events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { mayRead = true }
  }

  /// Receives bytes.
  func read(into room: UnsafeMutableRawBufferPointer) -> Outcome {
    guard mayRead || tls?.hasInput == true else { return .wait }
    if let tls {
      switch unsafe tls.read(into: room) {
      case .count(let count):
        // One call returns one record of TLS at most, which has up to 16 KB.
        mayRead = tls.hasInput || count >= 1 << 14
        return .count(count)
      case .needsInput, .needsOutput:
        mayRead = false
        return .wait
      case .end: return .end
      case .failure(let reason): return .failure(reason)
      }
    }
    while true {
      let count = unsafe recv(descriptor, room.baseAddress, room.count, 0)
      if count > 0 {
        if count < room.count { mayRead = false }
        return .count(count)
      }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        mayRead = false
        return .wait
      default: return .failure(systemMessage(errno))
      }
    }
  }

  /// Whether the first byte that has arrived begins TLS; also true at the end of the connection, and nil if no byte has
  /// arrived.
  var beginsTLS: Bool? {
    var byte: UInt8 = 0
    let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK))
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    return count <= 0 || byte == 0x16
  }

  /// Sends bytes without TLS, as far as the system accepts them at once, and discards everything that was received.
  func sendPlainly(_ bytes: [UInt8]) {
    var room = [UInt8](repeating: 0, count: 1 << 12)
    // Closing a socket with bytes that nobody has received would discard the answer.
    while unsafe recv(descriptor, &room, room.count, 0) == room.count {}
    _ = unsafe bytes.withUnsafeBytes { bytes in
      unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Sends some of the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    if let tls {
      switch unsafe tls.write(bytes) {
      case .count(let count): return .count(count)
      case .needsInput, .needsOutput: return .wait
      case .end: return .end
      case .failure(let reason): return .failure(reason)
      }
    }
    while true {
      let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .count(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wait
      default: return .failure(systemMessage(errno))
      }
    }
  }

  /// Closes the connection; the loop must have forgotten it.
  func close() {
    guard descriptor >= 0 else { return }
    tls?.close()
    tls = nil
    _ = Glibc.close(descriptor)
    descriptor = -1
  }
}
