/// The calls between a connection and the code of its program that are under way.
///
/// One word tells whether a statement has anything to do before it moves, so that a row costs one look. The low bits are
/// conditions. The frame and the operations that the frames refuse are above them.
///
/// Invariant: only `enter` and `leave` change what is refused.
struct CallStack {
  /// How many calls of SQLite are under way that may call back.
  var depth = 0
  private(set) var word: UInt = 0

  /// Conditions that a statement looks at before or after it moves.
  struct Conditions: OptionSet {
    let rawValue: UInt

    /// Statements or blobs wait to end.
    static let deferredEnds = Conditions(rawValue: 1)
    /// The transaction has ended before the body that runs in it, or has to be rolled back before any statement.
    static let brokenScope = Conditions(rawValue: 2)
    /// Objects that C has released wait for the end of its call.
    static let released = Conditions(rawValue: 4)
    /// The connection may call a file system in Swift.
    static let fileSystem = Conditions(rawValue: 8)
    /// Observers follow what statements read and write.
    static let tracker = Conditions(rawValue: 16)
    /// Observers have not been told of a commit.
    static let commit = Conditions(rawValue: 32)
    /// A queue owns the connection, and can interrupt it.
    static let interruptState = Conditions(rawValue: 64)
    /// The process has been forked since the connection was opened.
    static let fork = Conditions(rawValue: 128)
    /// Hooks may have been cancelled.
    static let hooks = Conditions(rawValue: 256)
    /// Closures wait for the end of the transaction.
    static let transactions = Conditions(rawValue: 512)

    // Sums, because an array literal allocates in a debug build.
    /// Something has to end or to be released before a statement starts.
    static let beforeStart = deferredEnds.union(hooks)
    /// Something has to be released or told after a call of SQLite.
    static let toSettle = released.union(commit).union(transactions)
    /// Something follows each statement.
    static let followers = tracker.union(transactions)
    /// The conditions under which a step from row to row has nothing to do.
    static let idleBetweenRows = followers.union(interruptState).union(hooks)
    /// The conditions under which a transaction or savepoint begins or ends with nothing to do.
    static let idleInScopes = interruptState.union(hooks)
    /// The conditions under which statements run.
    static let quiet = idleBetweenRows.union(deferredEnds).union(released).union(commit)
    /// The conditions that refuse no operation.
    static let harmless = quiet.union(brokenScope)
    /// The bits of all conditions.
    fileprivate static let all = Conditions(rawValue: 0xffff)
  }

  /// The frames that are entered, as the upper bits of the word.
  struct Frames {
    fileprivate let bits: UInt
    /// The state of a connection that is idle.
    static let none = Frames(bits: 0)
    fileprivate static let operations: UInt = 16
    fileprivate static let frame: UInt = 24
  }

  @inline(__always)
  func has(_ conditions: Conditions) -> Bool { word & conditions.rawValue != 0 }

  /// Whether a condition holds that is not among these, or a frame refuses to use the connection.
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

  /// Whether a frame refuses the operation.
  @inline(__always)
  func refuses(_ operation: Operations) -> Bool {
    word & operation.rawValue << Frames.operations != 0
  }

  /// The error of an operation, if a frame refuses it.
  func refusal(of operation: Operations) -> SQLiteError? {
    guard refuses(operation) else { return nil }
    if frame.refused.contains(operation) { return frame.refusal }
    // A frame around this one refuses the operation. A frame that refuses `use` has no other inside it.
    return (operation == .endTransaction ? CallFrame.apply : .connect).refusal
  }

  /// Enters a frame, and returns the frames around it.
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
