import Foundation

/// The two ways in which the program speaks.
enum Console {
  /// Writes results.
  static func write(_ text: String) throws(Failure) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      throw Failure("The results cannot be written")
    }
  }

  /// Writes a line beside the results.
  static func tell(_ line: String) { note(line + "\n") }

  /// Replaces the line at the bottom of a terminal.
  static func draw(_ line: String) { note("\r\u{1B}[K" + line) }

  private static func note(_ text: String) {
    // If nobody listens any more, there is nobody to tell.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
