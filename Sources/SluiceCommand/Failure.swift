import Sluice
import SluiceSQL

/// An error from SQLite, or in a file or its content, which is reported to the user.
package struct Failure: Error {
  /// A position in the format of compilers: a file, a line and a column, both counted from 1.
  package struct Place: Hashable, Sendable {
    let file: String
    let line: Int
    /// The column in bytes; nil if only the line is known.
    var column: Int?
  }

  let message: String
  let place: Place?
  /// The line with the error; nil if it is unknown, or can be read from the file.
  let excerpt: Excerpt?

  init(_ message: String, at place: Place? = nil, _ excerpt: Excerpt? = nil) {
    self.message = message
    self.place = place
    self.excerpt = excerpt
  }
}

extension Failure {
  /// Returns the offset of an error in SQL, even if SQLite does not report it; nil if it is unknown.
  static func offset(of error: SQLiteError, in sql: String) -> Int? {
    if error.message == "incomplete input" {
      return sql.utf8.count - sql.utf8.reversed().prefix { $0 <= 0x20 }.count
    }
    // The end of the SQL stands for a position in the schema.
    let offset = error.offset.flatMap { $0 < sql.utf8.count ? $0 : nil }
    return offset ?? MissingName.offset(for: error.message, in: sql)
  }

  /// Returns the failure for the name of a table or view that does not exist.
  static func missing(table name: String, among tables: [TableInfo]) -> Failure {
    let hint = suggestion(for: name, among: tables.map(\.name))
    return Failure("There is no table or view \(name)\(hint)")
  }

  /// Creates a failure with the position of an error in SQL, and a suggestion.
  ///
  /// `file` contains the SQL; nil if the command line does.
  init(_ error: SQLiteError, in sql: String, of file: String?, on connection: Connection) {
    guard let offset = Self.offset(of: error, in: sql) else {
      self.init(error.message)
      return
    }
    let (line, column) = sql.place(at: offset)
    self.init(
      error.message + MissingName.suggestion(for: error.message, in: sql, on: connection),
      at: file.map { Place(file: $0, line: line, column: column) }, Excerpt(sql.utf8, at: offset))
  }
}
