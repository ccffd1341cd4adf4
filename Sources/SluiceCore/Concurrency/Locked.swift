public import Synchronization

/// A value that one thread at a time can reach.
///
/// It is a `Mutex` that the thread sanitizer understands: on Linux the lock inside a `Mutex` lies
/// in a library that is not instrumented, so an atomic beside it tells the sanitizer what follows
/// what.
@usableFromInline package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let order = Atomic(false)
  #if SLUICE_SHOWS_LOCKS
    @usableFromInline let shown = ShownLock()
  #endif

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  @inlinable @inline(__always)
  package func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    #if SLUICE_SHOWS_LOCKS
      shown.enter()
      defer { shown.leave() }
    #endif
    return try mutex.withLock { value throws(E) in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }

  /// The same, or nil if another thread is there.
  package func withLockIfAvailable<Result: Sendable>(
    _ body: (inout sending Value) throws -> Result
  ) rethrows -> Result? {
    #if SLUICE_SHOWS_LOCKS
      guard shown.enterIfAvailable() else { return nil }
      defer { shown.leave() }
    #endif
    return try mutex.withLockIfAvailable { value in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}
