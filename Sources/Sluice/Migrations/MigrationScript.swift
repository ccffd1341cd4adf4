import SluiceCore

/// The SQL of a migration.
struct MigrationScript: Sendable {
  let sql: String
  /// The name of the file that contains the SQL; nil if there is none.
  let file: String?

  init(_ sql: String, file: String? = nil) {
    self.sql = sql
    self.file = file
  }

  /// Executes all statements; the message of an error contains its position in the script.
  func run(on connection: Connection) throws {
    for statement in SQLToken.statements(SQLToken.tokens(of: sql)) {
      guard let first = statement.first, let last = statement.last else { continue }
      let start = first.range.lowerBound
      let text = sql.utf8.dropFirst(start).prefix(last.range.upperBound - start)
      do { try connection.execute(sql: String(Substring(text))) } catch let error as SQLiteError {
        let (line, column) = sql.place(at: start + (error.offset ?? 0))
        let place = file.map { "\($0):\(line):\(column)" } ?? "line \(line)"
        throw SQLiteError(
          error.code, "\(place): \(error.message)", sql: error.sql, offset: error.offset)
      }
    }
  }
}

extension MigrationScript {
  /// Throws if the SQL is invalid for every database.
  ///
  /// Invalid SQL contains no statement, contains a NUL, or begins or ends the transaction in which the migration
  /// runs. `name` begins the message of the error, unless the SQL is that of a file.
  func check(inTransaction: Bool, _ name: String) throws {
    func refusal(_ reason: String, _ offset: Int? = nil) -> SQLiteError {
      SQLiteError(.misuse, "\(file ?? name) \(reason)", sql: sql, offset: offset)
    }
    guard !sql.utf8.contains(0) else { throw refusal("contains a NUL") }
    let tokens = SQLToken.tokens(of: sql)
    guard tokens.contains(where: { !$0.is(sign: ";") }) else {
      throw refusal("contains no statement")
    }
    guard inTransaction else { return }
    for statement in SQLToken.statements(tokens) where Self.endsTransaction(statement) {
      let offset = statement.first?.range.lowerBound
      throw refusal(
        "begins or ends a transaction\(offset.map { " in line \(sql.place(at: $0).line)" } ?? ""):"
          + " each migration runs in one", offset)
    }
  }

  private static func endsTransaction(_ statement: ArraySlice<SQLToken>) -> Bool {
    guard let first = statement.first else { return false }
    if first.is("begin") || first.is("commit") || first.is("end") { return true }
    // `ROLLBACK TO` a savepoint of the script is allowed.
    return first.is("rollback") && !statement.prefix(3).contains { $0.is("to") }
  }
}
