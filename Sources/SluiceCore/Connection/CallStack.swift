/// The calls in progress between a connection and the program's code.
///
/// One integer, `word`, stores both the conditions and the frames, so that a statement needs only one check for
/// each row. The low 16 bits are the conditions. The bits above them are the operations that the frames refuse,
/// and the innermost frame.
///
/// Invariant: only `enter` and `leave` change the refused operations.
struct CallStack {
  /// The number of SQLite calls in progress that may call back into Swift.
  var depth = 0
  private(set) var word: UInt = 0
  /// Whether cleanup work that no hook may refuse, such as a rollback, is in progress.
  var isCleaningUp = false
  /// Whether code that borrows the C handle is running; cleanup work can run inside it, and it inside cleanup work.
  var lendsHandle = false

  /// Conditions that a statement checks before or after it steps.
  struct Conditions: OptionSet {
    let rawValue: UInt

    /// Statements or blobs are waiting to end.
    static let deferredEnds = Conditions(rawValue: 1)
    /// The transaction ended before its body returned, or must be rolled back before another statement runs.
    static let brokenScope = Conditions(rawValue: 2)
    /// Objects that C has released are waiting for the C call to return.
    static let released = Conditions(rawValue: 4)
    /// The connection may call a file system in Swift.
    static let fileSystem = Conditions(rawValue: 8)
    /// Observers track the reads and writes of statements.
    static let tracker = Conditions(rawValue: 16)
    /// A commit has begun, and observers have not been notified of it yet.
    static let commit = Conditions(rawValue: 32)
    /// A queue owns the connection and can interrupt it.
    static let interruptState = Conditions(rawValue: 64)
    /// The process has been forked since the connection was opened.
    static let fork = Conditions(rawValue: 128)
    /// Hooks may have been cancelled.
    static let hooks = Conditions(rawValue: 256)
    /// Closures are waiting for the transaction to end.
    static let transactions = Conditions(rawValue: 512)

    // `union` avoids array literals, which allocate in a debug build.
    /// The conditions that require work before a statement starts.
    static let beforeStart = deferredEnds.union(hooks)
    /// The conditions that require work after an SQLite call.
    static let toSettle = released.union(commit).union(transactions)
    /// The conditions under which each statement is tracked.
    static let followers = tracker.union(transactions)
    /// The conditions that require no work between rows.
    static let idleBetweenRows = followers.union(interruptState).union(hooks)
    /// The conditions that require no work when a transaction or savepoint begins or ends.
    static let idleInScopes = interruptState.union(hooks)
    /// The conditions that require no further check before a statement runs.
    ///
    /// The set contains `interruptState`, because `ConnectionState.isQuiet` checks the interrupt state itself.
    static let quiet = idleBetweenRows.union(deferredEnds).union(released).union(commit)
    /// The conditions that `ConnectionState.require(_:)` ignores.
    static let harmless = quiet.union(brokenScope)
    /// All conditions: the low 16 bits of `word`.
    fileprivate static let all = Conditions(rawValue: 0xffff)
  }

  /// The innermost frame, and the operations that the entered frames refuse: the upper bits of `word`.
  struct Frames {
    fileprivate let bits: UInt
    /// The frames of an idle connection.
    static let none = Frames(bits: 0)
    fileprivate static let operations: UInt = 16
    fileprivate static let frame: UInt = 24
  }

  @inline(__always)
  func has(_ conditions: Conditions) -> Bool { word & conditions.rawValue != 0 }

  /// Returns whether any condition other than `conditions` holds, or a frame refuses the use of the connection.
  @inline(__always)
  func hasAny(but conditions: Conditions) -> Bool {
    let mask = Conditions.all.rawValue & ~conditions.rawValue
    return word & (mask | Operations.use.rawValue << Frames.operations) != 0
  }

  @inline(__always)
  mutating func note(_ condition: Conditions, _ isThere: Bool) {
    word = word & ~condition.rawValue | (isThere ? condition.rawValue : 0)
  }

  /// The innermost frame.
  var frame: CallFrame { CallFrame(rawValue: word >> Frames.frame) ?? .idle }

  /// Returns whether a frame refuses the operation.
  @inline(__always)
  func refuses(_ operation: Operations) -> Bool {
    word & operation.rawValue << Frames.operations != 0
  }

  /// Returns the error to throw if a frame refuses the operation, or nil if no frame refuses it.
  func refusal(of operation: Operations) -> SQLiteError? {
    guard refuses(operation) else { return nil }
    if frame.refused.contains(operation) { return frame.refusal }
    // An outer frame refuses the operation. The outer frame allows `use`, because no other frame is ever entered
    // inside a frame that refuses `use`. Of the frames that allow `use`, only `apply` refuses `endTransaction`.
    return (operation == .endTransaction ? CallFrame.apply : .connect).refusal
  }

  /// Enters a frame, and returns the frames that enclose it.
  @inline(__always)
  mutating func enter(_ frame: CallFrame) -> Frames {
    let outer = Frames(bits: word & ~Conditions.all.rawValue)
    let kept = Conditions.all.rawValue | Operations.all.rawValue << Frames.operations
    word =
      word & kept | frame.refused.rawValue << Frames.operations | frame.rawValue << Frames.frame
    return outer
  }

  /// Leaves a frame and the frames inside it.
  @inline(__always)
  mutating func leave(to outer: Frames) { word = word & Conditions.all.rawValue | outer.bits }
}
