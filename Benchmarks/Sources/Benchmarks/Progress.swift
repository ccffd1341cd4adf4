import Foundation

/// The progress of the program, which is shown only on a terminal.
enum Progress {
  private static let isTerminal = isatty(STDERR_FILENO) == 1

  static func show(_ line: String) { draw(line) }

  static func clear() { draw("") }

  private static func draw(_ line: String) {
    guard isTerminal else { return }
    // If standard error is closed, a failed write cannot be reported.
    try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(line)".utf8))
  }
}
