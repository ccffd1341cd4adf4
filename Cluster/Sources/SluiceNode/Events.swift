import Dispatch
import Foundation
import Synchronization

/// The events that the main thread of a running node waits for.
final class Events: Sendable {
  enum Event: Sendable {
    /// The process should end.
    case end
    /// The node is a member of the cluster.
    case joined
    /// The node cannot become a member of the cluster.
    case failed(any Error)
  }

  private let events = Mutex<[Event]>([])
  private let count = DispatchSemaphore(value: 0)

  /// Adds an event.
  func add(_ event: Event) {
    events.withLock { $0.append(event) }
    count.signal()
  }

  /// Waits for the next event.
  func next() -> Event {
    count.wait()
    return events.withLock { $0.removeFirst() }
  }

  /// Adds an event when the process gets SIGTERM, SIGINT or SIGHUP; a second signal ends the process at once.
  ///
  /// - Returns: The sources of the signals, which the caller retains.
  func addSignals() -> [any DispatchSourceSignal] {
    let signals = Counter()
    return [SIGTERM, SIGINT, SIGHUP].compactMap { number in
      let previous = signal(number, SIG_IGN)
      // The parent process ignores the signal, as `nohup` does.
      if unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        return nil
      }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in
        guard signals.increment() == 1 else { _exit(128 + number) }
        add(.end)
      }
      source.resume()
      return source
    }
  }

  /// Adds an event when standard input is closed.
  func addEndOfInput() {
    let thread = Thread { [self] in
      var byte: UInt8 = 0
      var count = 1
      repeat {
        count = unsafe read(STDIN_FILENO, &byte, 1)
      } while count > 0 || count < 0 && errno == EINTR
      add(.end)
    }
    thread.start()
  }

  private final class Counter: Sendable {
    private let value = Atomic(0)

    func increment() -> Int { value.add(1, ordering: .relaxed).newValue }
  }
}
