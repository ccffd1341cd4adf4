import Foundation
import SluiceCore

/// Ends the process if nothing is heard for a minute: to hang is to fail.
enum Watchdog {
  private static let state = Locked((text: "", count: 0))

  /// Says what is done now.
  static func hear(_ text: @autoclosure () -> String) {
    let text = text()
    state.withLock { $0 = (text, $0.count + 1) }
  }

  static func start() {
    Thread.detachNewThread {
      var last = -1
      var silences = 0
      while true {
        Thread.sleep(forTimeInterval: 5)
        let (text, count) = state.withLock { $0 }
        // A process that is stopped for a while does not look meanwhile, so it is not taken for one that hangs.
        silences = count == last ? silences + 1 : 0
        last = count
        guard silences >= 12 else { continue }
        say("Nothing was heard for a minute: \(text)")
        exit(3)
      }
    }
  }
}
