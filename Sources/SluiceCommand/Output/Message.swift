import Foundation
import SluiceSQL

/// A message for standard error, in the form of compilers.
struct Message {
  let severity: Diagnostic.Severity
  let text: String
  /// The origin: a file with a position, or the program.
  private let origin: String
  private let excerpt: Excerpt?

  /// Creates a message of the program.
  init(_ severity: Diagnostic.Severity, _ text: String) {
    (self.severity, self.text, origin, excerpt) = (severity, text, "sluice", nil)
  }

  init(_ failure: Failure) {
    (severity, text) = (.error, failure.message.withOptions)
    origin = failure.place?.description ?? "sluice"
    excerpt = failure.excerpt ?? failure.place.flatMap { Excerpt(of: $0) }
  }

  init(_ diagnostic: Diagnostic) {
    (severity, text) = (diagnostic.severity, diagnostic.message)
    let place = Failure.Place(
      file: diagnostic.path, line: diagnostic.line, column: diagnostic.column)
    origin = place.description
    excerpt = diagnostic.hasPosition ? Excerpt(of: place) : nil
  }

  /// Returns the lines of the message; `width` is that of a line, or nil to leave out the excerpt.
  fileprivate func lines(width: Int?) -> StyledText {
    let line =
      "\(origin): " + StyledText("\(severity):", severity.style)
      + " \(text.replacing("\n", with: " "))\n"
    guard let width, let excerpt else { return line }
    return line + excerpt.lines(width: width)
  }
}

extension Failure.Place: CustomStringConvertible {
  package var description: String {
    "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
  }
}

extension Diagnostic.Severity {
  fileprivate var style: StyledText.Style {
    switch self {
    case .error: .error
    case .warning: .warning
    case .note: .note
    }
  }
}

extension Console {
  /// Writes messages to standard error, each with the line that it concerns.
  func tell(_ messages: [Message]) {
    let width = showsExcerpts ? messageTerminal.width : nil
    // Write all lines in one call: when one command of a build fails, the build terminates the other commands, perhaps
    // between two lines.
    tell(messages.map { $0.lines(width: width) }.joined())
  }

  /// Writes a message of the program to standard error.
  func tell(_ severity: Diagnostic.Severity, _ text: String) { tell([Message(severity, text)]) }
}
