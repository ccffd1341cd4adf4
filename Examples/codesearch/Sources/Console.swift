import Foundation

/// The output of the program: results on standard output, and messages on standard error.
enum Console {
  /// Writes results to standard output.
  static func write(_ text: String) throws(Failure) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      throw Failure("The results cannot be written")
    }
  }

  /// Writes a message to standard error, as a line.
  static func tell(_ line: String) { note(line + "\n") }

  /// Replaces the bottom line of a terminal.
  static func draw(_ line: String) { note("\r\u{1B}[K" + line) }

  private static func note(_ text: String) {
    // Ignore a failed write, because it could only be reported on standard error.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
