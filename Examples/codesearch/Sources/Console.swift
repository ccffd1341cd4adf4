import Foundation

/// The output of the program: results, and messages.
enum Console {
  /// Writes results to the standard output.
  static func write(_ text: String) throws(Failure) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      throw Failure("The results cannot be written")
    }
  }

  /// Writes a message to the standard error, as a line.
  static func tell(_ line: String) { note(line + "\n") }

  /// Replaces the bottom line of a terminal.
  static func draw(_ line: String) { note("\r\u{1B}[K" + line) }

  private static func note(_ text: String) {
    // An error is ignored, because the standard error is the only place to report it.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
