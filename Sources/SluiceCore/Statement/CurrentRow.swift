/// The row at which a statement is, and what holds the statement there.
@usableFromInline struct CurrentRow {
  /// A number that grows with each step or reset, so that a row can detect that it is no longer current.
  @usableFromInline private(set) var position: UInt = 0
  /// The number of columns, which is stored here because rows check it for each value.
  private(set) var width = 0
  /// The number of columns that can be read without a mutex: either the number of all columns, or 0.
  @usableFromInline private(set) var openWidth = 0
  /// The number of closures that borrow the handle or bytes of the row, or bind the parts of a value; 0 if the
  /// statement may be stepped, reset or bound.
  ///
  /// While SQLite runs the statement, the number is very large. If a statement outlives the queue access that
  /// used it, the number is negative until the next use has checked the thread: see `Statement.leaveAccess`.
  @usableFromInline var holds = 0

  private static let running = 1 << (Int.bitWidth / 2)
  private static let left = Int.min / 2

  /// Whether the statement is neither borrowed, nor running, nor left over from an earlier access.
  @inline(__always)
  var isFree: Bool { holds == 0 }

  /// Whether SQLite runs the statement.
  var isInSQLite: Bool { holds >= Self.running }

  /// Whether a closure borrows bytes of the row, or the handle.
  var isLent: Bool { holds % Self.running > 0 }

  /// Whether the statement is left over from an earlier access.
  var isLeft: Bool { holds == Self.left }

  mutating func setWidth(_ width: Int, isGuarded: Bool) {
    self.width = width
    openWidth = isGuarded ? 0 : width
  }

  /// Ends the row, because SQLite begins to step or reset the statement.
  @inline(__always)
  mutating func enterSQLite() {
    position &+= 1
    holds = Self.running
  }

  /// Frees the statement after SQLite has returned, or in the current access.
  @inline(__always)
  mutating func free() { holds = 0 }

  /// Makes the next use of the statement check that the thread using it has acquired the connection.
  mutating func leaveAccess(endingRow: Bool) {
    if isFree { holds = Self.left }
    if endingRow { position &+= 1 }
  }

  /// Ends the row for ever.
  mutating func close() {
    openWidth = 0
    position &+= 1
  }
}
