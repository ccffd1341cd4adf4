import Dispatch

/// A semaphore whose waits have a limit.
final class Semaphore: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func signal() { semaphore.signal() }

  /// Waits for a signal, and returns whether there was one in time.
  func wait(_ limit: Duration) -> Bool {
    let milliseconds = Int(limit / .milliseconds(1))
    return semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}
