#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Patience {
  /// Blocks the thread for this time, or throws if the check does.
  func sleep(for duration: Duration) throws {
    let end = ContinuousClock.now + duration
    while true {
      try check()
      let left = end - .now
      guard left > .zero else { return }
      usleep(UInt32(min(left, .milliseconds(8)) / .microseconds(1)))
    }
  }
}
