import Foundation
import SluiceCore

/// Ends the process after a minute without a report, because a hang is a failure.
enum Watchdog {
  private static let state = Locked((text: "", count: 0))

  /// Reports that the given work is in progress.
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
        // A suspended process runs no check, so a suspension does not count as a hang.
        silences = count == last ? silences + 1 : 0
        last = count
        guard silences >= 12 else { continue }
        say("Nothing was heard for a minute: \(text)")
        exit(3)
      }
    }
  }
}
