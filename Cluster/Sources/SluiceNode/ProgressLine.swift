import Dispatch
import Foundation
import Synchronization

/// A line on a terminal that shows the progress of a command, which a signal ends.
final class ProgressLine: Sendable {
  private let state = Mutex<State>(State())
  private let command: String
  private let text: @Sendable (_ count: Int, _ total: Int) -> String
  private let isShown = isatty(STDERR_FILENO) == 1
  private let signalNumber = SignalNumber()

  private struct State {
    var count = 0
    var shown = ContinuousClock.now
    var width = 0
  }

  /// The number of the signal that should end the command; 0 if there was none.
  private final class SignalNumber: Sendable {
    let value = Atomic<Int32>(0)
  }

  init(_ command: String, _ text: @escaping @Sendable (_ count: Int, _ total: Int) -> String) {
    self.command = command
    self.text = text
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Dispatch receives a signal only if the process ignores it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      // The handler retains its source, so that the source exists for as long as the process.
      source.setEventHandler { [signalNumber] in
        withExtendedLifetime(source) { signalNumber.value.store(number, ordering: .relaxed) }
      }
      source.activate()
    }
  }

  /// The count of the last update.
  var count: Int { state.withLock(\.count) }

  /// Shows the progress, four times a second; throws if a signal should end the command.
  func update(_ count: Int, of total: Int) throws {
    let number = signalNumber.value.load(ordering: .relaxed)
    guard number == 0 else { throw Failure("The command was ended by the signal \(number)") }
    state.withLock { state in
      state.count = count
      guard isShown, state.shown.duration(to: .now) > .milliseconds(250) else { return }
      state.shown = .now
      let line = "\(command): \(text(count, total))"
      show(line + String(repeating: " ", count: max(0, state.width - line.count)))
      state.width = line.count
    }
  }

  /// Removes the line.
  func end() {
    let width = state.withLock(\.width)
    if width > 0 { show(String(repeating: " ", count: width) + "\r") }
  }

  private func show(_ text: String) {
    // A terminal that has gone away shows nothing.
    try? FileHandle.standardError.write(contentsOf: Data(("\r" + text).utf8))
  }
}
