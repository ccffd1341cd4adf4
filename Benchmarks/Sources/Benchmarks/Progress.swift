import Foundation

/// Tells a terminal what is going on; without one, it says nothing.
enum Progress {
  private static let isTerminal = isatty(STDERR_FILENO) == 1

  static func show(_ line: String) { draw(line) }

  static func clear() { draw("") }

  private static func draw(_ line: String) {
    guard isTerminal else { return }
    // If nobody listens any more, there is nobody to tell.
    try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(line)".utf8))
  }
}
