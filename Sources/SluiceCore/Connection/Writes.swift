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

  /// Whether the row of a statement is to be noted when the statement ends.
  private(set) var isWatching = false
  /// The number of writes that run besides this statement.
  private var others = 0
  /// The row that this statement has inserted.
  private(set) var inserted: InsertedRow?

  private static var one: Int { 1 << 20 }

  /// The number of writing statements that are running.
  var running: Int { counts & (Self.one - 1) }
  /// The number of operations that can write and have begun so far; it never decreases.
  var begun: Int { counts >> 20 }

  @inline(__always)
  mutating func begin() { counts &+= Self.one + 1 }

  @inline(__always)
  mutating func end() { counts &-= 1 }

  /// Notes the row of the next statement when it ends, and none of those that run during it.
  mutating func watch() {
    isWatching = true
    others = running
    inserted = nil
  }

  mutating func stopWatching() { isWatching = false }

  /// Notes the row of the statement that has just ended, if it is the one to watch.
  @inline(never)
  mutating func note(_ row: @autoclosure () -> InsertedRow) {
    guard running == others else { return }
    inserted = row()
    isWatching = false
  }

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
