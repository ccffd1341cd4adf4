/// The bytes on their way from one socket to another, which are stored only as long as the other one accepts none.
struct Flow {
  private(set) var pending: [UInt8] = []
  private var sent = 0
  /// Whether the source will send nothing more.
  var hasEnded = false
  /// The time at which bytes were last received or sent.
  var progress: ContinuousClock.Instant

  init(_ instant: ContinuousClock.Instant, pending: [UInt8] = []) {
    progress = instant
    self.pending = pending
  }

  /// Whether bytes wait for the target.
  var isBlocked: Bool { sent < pending.count }

  /// Sends bytes, and stores the rest.
  mutating func send(_ bytes: UnsafeRawBufferPointer, to target: DoorSocket) -> String? {
    var position = 0
    while position < bytes.count {
      switch unsafe target.write(UnsafeRawBufferPointer(rebasing: bytes[position...])) {
      case .count(let count): position += count
      case .wait:
        unsafe pending.append(contentsOf: bytes[position...])
        return nil
      case .end: return "the connection has ended"
      case .failure(let reason): return reason
      }
    }
    return nil
  }

  /// Sends stored bytes; returns a reason if that is impossible.
  mutating func flush(to target: DoorSocket, _ instant: ContinuousClock.Instant) -> String? {
    while isBlocked {
      let outcome = unsafe pending.withUnsafeBytes { bytes in
        unsafe target.write(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
      }
      switch outcome {
      case .count(let count):
        sent += count
        progress = instant
      case .wait: return nil
      case .end: return "the connection has ended"
      case .failure(let reason): return reason
      }
    }
    sent = 0
    pending = []
    return nil
  }
}
