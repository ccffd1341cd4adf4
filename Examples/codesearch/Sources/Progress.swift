import Foundation

/// The progress of indexing: a bar on a terminal, or a line for each batch on request.
struct Progress {
  private let files: Int
  private let batches: Int
  private var filesDone = 0
  private var batchesDone = 0
  private let isVerbose: Bool
  private let hasBar: Bool

  init(files: Int, batches: Int, isVerbose: Bool) {
    self.files = files
    self.batches = batches
    self.isVerbose = isVerbose
    hasBar = !isVerbose && Terminal.isCapable(STDERR_FILENO)
  }

  /// Reports that a batch was written, with the counts that the reader saw.
  mutating func advance(by count: Int, _ sight: Sight) {
    filesDone += count
    batchesDone += 1
    if hasBar {
      Console.draw(bar(sight, width: Terminal.width(STDERR_FILENO)))
    } else if isVerbose {
      Console.tell(
        "Batch \(batchesDone) of \(batches): \(filesDone) of \(files) files, \(sight)")
    }
  }

  /// Clears the bar, so that the next message starts on an empty line.
  func end() {
    if hasBar, batchesDone > 0 { Console.draw("") }
  }

  /// Returns the bar and the text of the progress, shortened to the width of a line.
  private func bar(_ sight: Sight, width: Int) -> String {
    let percent = "\(filesDone * 100 / files) %"
    let text = " \(percent), \(filesDone) of \(files) files, \(sight)"
    // Some terminals start a new line when a line is full.
    let space = min(40, width - 1 - text.count)
    guard space >= 8 else { return String("Indexing\(text)".prefix(max(0, width - 1))) }
    let full = filesDone * space / files
    return String(repeating: "█", count: full) + String(repeating: "░", count: space - full) + text
  }
}
