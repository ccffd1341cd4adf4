#if SLUICE_SHOWS_LOCKS
  import Glibc

  /// A lock of POSIX around one of Swift's.
  ///
  /// The tools that look for locks taken in two orders know no other: see `Tests/Sanitizers/locks`.
  @safe @usableFromInline package final class ShownLock: @unchecked Sendable {
    // It never moves, and what it points to is made for many threads.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() { unsafe pthread_mutex_init(mutex, nil) }

    deinit {
      unsafe pthread_mutex_destroy(mutex)
      unsafe mutex.deallocate()
    }

    @usableFromInline package func enter() { unsafe pthread_mutex_lock(mutex) }

    package func enterIfAvailable() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }

    @usableFromInline package func leave() { unsafe pthread_mutex_unlock(mutex) }
  }
#endif
