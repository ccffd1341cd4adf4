/// The operations of a connection that can write.
struct Writes {
  /// The running ones in the low 20 bits, and all that have begun so far in the bits above them.
  ///
  /// Both counts share one number, because each statement that writes changes both.
  private var counts = 0
  /// The reasons for which they throw.
  var policy = WritePolicy()
  /// The value of `begun` when the last read transaction began.
  var begunBeforeReading: Int?

  private static var one: Int { 1 << 20 }

  /// The number of writing statements that are running.
  var running: Int { counts & (Self.one - 1) }
  /// The number of operations that can write and have begun so far; it never decreases.
  var begun: Int { counts >> 20 }

  @inline(__always)
  mutating func begin() { counts &+= Self.one + 1 }

  @inline(__always)
  mutating func end() { counts &-= 1 }

  /// Counts a write that is not a statement.
  mutating func note() { counts &+= Self.one }

  /// Leaves out the running ones, and returns their number for `restore`.
  mutating func leaveOutRunning() -> Int {
    let running = running
    counts &-= running
    return running
  }

  mutating func restore(running: Int) { counts &+= running }
}
