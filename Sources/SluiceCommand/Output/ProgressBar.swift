import Sluice
import SluiceData

/// A line on a terminal at standard error that shows the progress of long work; elsewhere, nothing is shown.
final class ProgressBar {
  private let console: Console
  private let work: String
  private let start: ContinuousClock.Instant
  private var next: ContinuousClock.Instant
  private var isShown = false
  /// The part of the work that is running.
  private var part: String?

  fileprivate init(_ console: Console, _ work: String) {
    self.console = console
    self.work = work
    start = console.now()
    // Short work shows nothing.
    next = start + (console.progressInterval ?? .zero)
  }

  /// Shows the progress if the last update is long enough ago.
  func update(_ progress: DataProgress) { show { self.text(progress, after: $0) } }

  /// Shows the number and name of the migration that runs next.
  func update(_ next: MigrationProgress) {
    part = "\(next.completed + 1) of \(next.total), \(next.step.name.inOneLine)"
    showPart()
  }

  /// Shows the time that has passed, while statements of the connection run.
  func watch(_ connection: Connection) throws {
    guard console.progressInterval != nil else { return }
    try connection.onProgress(every: 100_000) { [weak self] in self?.showPart() }
  }

  private func showPart() {
    show { [part] time in [part, time.inUnits].compactMap(\.self).joined(separator: ", ") }
  }

  private func show(_ text: (_ time: Duration) -> String) {
    let now = console.now()
    guard let interval = console.progressInterval, now >= next else { return }
    next = now + interval
    isShown = true
    console.show(line: String("\(work): \(text(now - start))".prefix(width)))
  }

  /// Removes the line.
  fileprivate func clear() {
    if isShown { console.show(line: "") }
  }

  /// The length of a line; some terminals begin another line after a full one.
  private var width: Int { console.messageTerminal.width - 1 }

  /// Returns a bar, the percentage and the remaining time if the size of the data is known, and the number of rows.
  private func text(_ progress: DataProgress, after time: Duration) -> String {
    let counts =
      "\(progress.rowCount) rows"
      + (progress.refusedCount == 0 ? "" : ", \(progress.refusedCount) refused")
    guard let fraction = progress.fraction else {
      return "\(progress.byteCount >> 20) MB, \(counts), \(time.inUnits)"
    }
    // At the end, the rows are committed, for an unknown time.
    let isRunning = fraction > 0 && fraction < 1
    let rest = isRunning ? "\((time / fraction * (1 - fraction)).inUnits) left" : time.inUnits
    let text = "\(Int(fraction * 100))%, \(counts), \(rest)"
    let room = min(30, width - work.count - text.count - 5)
    guard room >= 8 else { return text }
    let filled = Int(fraction * Double(room))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: "-", count: room - filled) + "] \(text)"
  }
}

extension Duration {
  /// The duration in whole seconds, or from 100 seconds in minutes, and from 100 minutes in hours.
  fileprivate var inUnits: String {
    let seconds = components.seconds + (components.attoseconds >= 500_000_000_000_000_000 ? 1 : 0)
    guard seconds >= 100 else { return "\(seconds) s" }
    let minutes = (seconds + 30) / 60
    return minutes < 100 ? "\(minutes) min" : "\((minutes + 30) / 60) h"
  }
}

extension Console {
  /// Calls `body` with a line that shows the progress of its work, and then removes the line.
  func showingProgress<T>(of work: String, _ body: (ProgressBar) throws -> T) rethrows -> T {
    let bar = ProgressBar(self, work)
    defer { bar.clear() }
    return try body(bar)
  }
}
