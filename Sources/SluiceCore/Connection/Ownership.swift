import CSluice

/// The queue and the process that own a connection.
///
/// Threads that must not use the connection read only this value. It does not change while a queue owns the connection.
/// `ConnectionState` sets the conditions that statements check.
@safe struct Ownership {
  /// The state through which another thread can stop the connection's work; nil if no queue owns the connection.
  var interruptState: InterruptState? {
    didSet {
      unsafe interruptReference = interruptState.map { unsafe Unmanaged.passUnretained($0) }
      mayBeForeign = interruptState != nil || isForked
    }
  }
  /// The same object as `interruptState`, for access without reference counting.
  private(set) var interruptReference: Unmanaged<InterruptState>?
  /// Whether this process is a fork of the process that owns the connection.
  var isForked = false {
    didSet { mayBeForeign = interruptState != nil || isForked }
  }
  /// Whether another thread or process may own the connection.
  private(set) var mayBeForeign = false
  /// The registration that reports forks.
  var forkWatch: UnsafeMutablePointer<sluice_fork_watch>?
}
