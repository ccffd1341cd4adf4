import SluiceCore

/// The position of an error in a script.
package struct ScriptPlace {
  /// The line and column in bytes, counted from one.
  package let line: Int
  package let column: Int
  /// The statement, and the offset of the position in it.
  package let sql: String
  package let offset: Int
  /// Whether the script has text before the statement in the same line.
  package let isBehindText: Bool

  init(_ statement: ScriptStatement, _ sql: String, _ offset: Int) {
    let place = sql.place(at: offset)
    line = statement.line + place.line - 1
    column = place.line == 1 ? statement.column + place.column - 1 : place.column
    self.sql = sql
    self.offset = offset
    isBehindText = place.line == 1 && statement.column > 1
  }
}

/// A closure that returns the error to throw for an error at a position of a script.
package typealias ScriptFailure = (SQLiteError, ScriptPlace) -> any Error

extension SQLiteError {
  /// Returns the same error with the line before its message, and the statement cut.
  static func onLine(_ error: SQLiteError, _ place: ScriptPlace) -> SQLiteError {
    let text = (error.sql ?? place.sql).cut
    return SQLiteError(
      error.code, "line \(place.line): \(error.message)", sql: text,
      offset: error.offset.flatMap { $0 < text.utf8.count ? $0 : nil })
  }
}
