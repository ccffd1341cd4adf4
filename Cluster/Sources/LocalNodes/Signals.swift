import Dispatch
import Foundation

extension LocalCluster {
  /// Ends the nodes, and then this process, when the user presses Ctrl-C or the process is asked to end.
  package func endOnSignals() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Dispatch receives a signal only if the process ignores it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      // The handler retains its source, so that the source exists for as long as the process.
      source.setEventHandler { [self] in
        withExtendedLifetime(source) {
          end()
          exit(128 + number)
        }
      }
      source.activate()
    }
  }
}
