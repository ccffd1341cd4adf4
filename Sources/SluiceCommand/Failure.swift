import Sluice
import SluiceSQL

/// An error from SQLite, or in a file or its content, which is reported to the user on one line.
package struct Failure: Error, CustomStringConvertible {
  /// A position in the format of compilers: a file, a line and a column, both counted from 1.
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

  /// The line for standard error.
  package var description: String {
    let origin = place.map { "\($0.file):\($0.line):\($0.column)" } ?? "sluice"
    return "\(origin): error: \(message)"
  }
}

extension Failure {
  /// Creates a failure with the position of an error in SQL, and a suggestion; nil if the position is unknown.
  init?(_ error: SQLiteError, in sql: String, from file: String, on connection: Connection) {
    guard let offset = error.offset ?? MissingName.offset(for: error.message, in: sql) else {
      return nil
    }
    let (line, column) = sql.place(at: offset)
    self.init(
      error.message + MissingName.suggestion(for: error.message, in: sql, on: connection),
      at: Place(file: file, line: line, column: column))
  }
}

/// An error in the arguments, which is reported to the user with its reason.
package struct UsageError: Error {
  let message: String
  let command: (any Command)?

  init(_ message: String, _ command: (any Command)? = nil) {
    self.message = message
    self.command = command
  }

  /// Returns an error for an unknown word, which suggests the most similar known word.
  static func unknown(
    _ kind: String, _ name: String, _ known: [String], _ command: (any Command)? = nil
  ) -> UsageError {
    let behind =
      kind == "option" && command != nil ? "; put it after -- to pass it as an argument" : ""
    let hint = nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? behind
    return UsageError("There is no \(kind) \(name)\(hint)", command)
  }
}
