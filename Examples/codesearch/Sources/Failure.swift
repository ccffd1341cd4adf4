import Sluice

/// A failure whose cause is outside the program, with a one-line message for the user.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Creates a failure for an error in the database at `path`.
  init(of path: String, _ error: SQLiteError) {
    let path = path.printable
    switch error.code {
    case .notADatabase: self.init("\(path) is not an SQLite database")
    case .cantOpen: self.init("\(path) cannot be opened as a database")
    case .readOnly: self.init("\(path) cannot be written to")
    case .busy: self.init("\(path) is in use by another program; try again later")
    case .corrupt: self.init("\(path) is damaged; delete it, and it will be created again")
    default: self.init("The database \(path) failed: \(error.message)")
    }
  }
}
