import Sluice
import SluiceData

/// A line on a terminal at standard error that shows the progress of long work; elsewhere, nothing is shown.
final class ProgressBar {
  private let console: Console
  private let work: String
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var next: ContinuousClock.Instant
  private var isShown = false
  /// The part of the work that is running.
  private var part: String?

  private static let width = 30

  fileprivate init(_ console: Console, _ work: String) {
    self.console = console
    self.work = work
    start = clock.now
    // Short work shows nothing.
    next = start + (console.progressInterval ?? .zero)
  }

  /// Shows the progress if the last update is long enough ago.
  func update(_ progress: DataProgress) { show(Self.text(progress)) }

  /// Shows the number and name of the migration that runs next.
  func update(_ next: MigrationProgress) {
    part = "\(next.completed + 1) of \(next.total), \(next.step.name.inOneLine)"
    show(part)
  }

  /// Shows the time that has passed, while statements of the connection run.
  func watch(_ connection: Connection) throws {
    guard console.progressInterval != nil else { return }
    try connection.onProgress(every: 100_000) { [weak self] in self?.show(self?.part) }
  }

  private func show(_ progress: String?) {
    let now = clock.now
    guard let interval = console.progressInterval, now >= next else { return }
    next = now + interval
    isShown = true
    let time = "\((now - start).components.seconds) s"
    console.show(line: "\(work): " + [progress, time].compactMap(\.self).joined(separator: ", "))
  }

  /// Removes the line.
  fileprivate func clear() {
    if isShown { console.show(line: "") }
  }

  /// Returns a bar and percentage if the size of the data is known, and the number of rows.
  private static func text(_ progress: DataProgress) -> String {
    let rows = "\(progress.rowCount) rows"
    let refused = progress.refusedCount == 0 ? "" : ", \(progress.refusedCount) refused"
    guard let fraction = progress.fraction else {
      return "\(progress.byteCount >> 20) MB, \(rows)\(refused)"
    }
    let filled = Int(fraction * Double(width))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    return "[\(bar)] \(Int(fraction * 100))%, \(rows)\(refused)"
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
