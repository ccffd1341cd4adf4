import SluiceSQL

/// SQLite, a file or what stands in it prevents a command from working; the user is told what, in a line.
package struct Failure: Error, CustomStringConvertible {
  /// Where it lies, as compilers tell it: a file, with a line and a column from 1 on.
  package struct Place: Hashable, Sendable {
    let file: String
    let line: Int
    let column: Int
  }

  let place: Place?
  let message: String

  package init(_ message: String, at place: Place? = nil) {
    self.place = place
    self.message = message
  }

  /// The line for the standard error.
  package var description: String {
    let origin = place.map { "\($0.file):\($0.line):\($0.column)" } ?? "sluice"
    return "\(origin): error: \(message)"
  }
}

/// The arguments make no sense; the user is told why.
package struct UsageError: Error {
  let message: String
  let command: (any Command)?

  init(_ message: String, _ command: (any Command)? = nil) {
    self.message = message
    self.command = command
  }

  /// Says that there is no such word, and which is nearest to it.
  static func unknown(
    _ kind: String, _ name: String, _ known: [String], _ command: (any Command)? = nil
  ) -> UsageError {
    let behind =
      kind == "option" && command != nil ? "; put it after -- to pass it as an argument" : ""
    let hint = nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? behind
    return UsageError("There is no \(kind) \(name)\(hint)", command)
  }
}
