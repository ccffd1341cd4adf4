public import CSluice
import Dispatch

/// A value that only one thread at a time can access.
///
/// The lock is the platform's plain mutex, which a running thread may acquire before the threads that already wait
/// for it. In contrast, the `Mutex` of Swift 6.3 on Linux is given to the thread that has waited longest, so that
/// contending threads switch at each access.
@safe @usableFromInline package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // A mutex must not move in memory, but a structure may, so one block of memory holds the mutex and the value. `Locked`
  // is Sendable for any value, because neither pointer changes and `value` is accessed only under the lock.
  @usableFromInline let mutex: UnsafeMutablePointer<sluice_mutex>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  package init(_ value: consuming sending Value) {
    let alignment = unsafe max(
      MemoryLayout<sluice_mutex>.alignment, MemoryLayout<Value>.alignment)
    let offset = unsafe (MemoryLayout<sluice_mutex>.size + alignment - 1) / alignment * alignment
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
    unsafe mutex = block.bindMemory(to: sluice_mutex.self, capacity: 1)
    unsafe sluice_mutex_init(mutex)
    unsafe self.value = (block + offset).bindMemory(to: Value.self, capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  deinit {
    unsafe value.deinitialize(count: 1)
    unsafe sluice_mutex_destroy(mutex)
    unsafe UnsafeMutableRawPointer(mutex).deallocate()
  }

  @inlinable @inline(__always)
  package func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    unsafe sluice_mutex_lock(mutex)
    defer { unsafe sluice_mutex_unlock(mutex) }
    return try unsafe body(&value.pointee)
  }

  /// Calls `body` with the value under the lock, and returns its result, or nil if another thread holds the lock.
  package func withLockIfAvailable<Result: Sendable>(
    _ body: (inout sending Value) throws -> Result
  ) rethrows -> Result? {
    guard unsafe sluice_mutex_try(mutex) else { return nil }
    defer { unsafe sluice_mutex_unlock(mutex) }
    return try unsafe body(&value.pointee)
  }
}

/// A timer that calls a closure after a delay, unless it is cancelled first.
@safe struct Timer: Sendable {
  /// The source of the timer.
  ///
  /// Once the source has been activated, it is only cancelled and released.
  private nonisolated(unsafe) let source: any DispatchSourceTimer
  private static let queue = DispatchQueue(label: "Sluice.timers", qos: .userInitiated)

  init(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    unsafe source = DispatchSource.makeTimerSource(queue: Self.queue)
    unsafe source.schedule(deadline: .now() + delay.dispatchInterval)
    unsafe source.setEventHandler { body() }
    unsafe source.activate()
  }

  func cancel() { unsafe source.cancel() }
}

extension Duration {
  /// The duration as a Dispatch interval, which is limited to 292 years.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooLong else { return seconds < 0 ? .nanoseconds(0) : .never }
    return .nanoseconds(Int(clamping: max(0, scaled + attoseconds / 1_000_000_000)))
  }
}
