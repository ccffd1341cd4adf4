import Dispatch
import Foundation

/// The signals of the operating system.
enum Signals {
  /// Returns a sequence with an element for each SIGTERM and SIGINT, which then no longer end the process.
  static func termination() -> AsyncStream<Void> {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    for number in [SIGTERM, SIGINT] {
      // Dispatch receives a signal only if the process ignores it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      // The handler retains its source, so that the source exists for as long as the process.
      source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield() } }
      source.activate()
    }
    return signals
  }
}
