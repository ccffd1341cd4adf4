import Sluice

/// A problem in a file, with its position, in the format of compilers.
package struct Diagnostic: Error, Hashable, Sendable {
  package enum Severity: String, Hashable, Sendable {
    case error, warning, note
  }

  package let path: String
  /// The line number, starting at 1.
  package let line: Int
  /// The column in bytes, starting at 1.
  package let column: Int
  package let severity: Severity
  package let message: String
  /// Whether the problem has a position in the file; otherwise, it concerns the whole file.
  package let hasPosition: Bool

  package init(
    _ message: String, _ severity: Severity = .error, path: String, line: Int? = nil,
    column: Int? = nil
  ) {
    self.path = path
    self.line = line ?? 1
    self.column = column ?? 1
    self.severity = severity
    self.message = message
    hasPosition = line != nil
  }

  init(_ message: String, _ severity: Severity = .error, at offset: Int, in source: SourceText) {
    let (line, column) = source.text.place(at: offset)
    self.init(message, severity, path: source.path, line: line, column: column)
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    "\(path):\(line):\(column): \(severity.rawValue): \(message.replacing("\n", with: " "))"
  }
}
