import Foundation
import Sluice

/// The SQL of a statement, and its origin.
struct Script {
  let sql: String
  /// The name of the file for messages; nil if the command line contains the SQL.
  private let file: String?

  /// Reads the SQL of ``Explain`` from the operand, a file or standard input.
  init(_ arguments: Arguments, _ console: Console) throws {
    let operand = arguments.operands.dropFirst().first
    switch (operand, arguments.value(of: Explain.file)) {
    case (nil, nil): throw arguments.usageError("SQL is missing")
    case (_?, _?): throw arguments.usageError("Pass either SQL or --file, not both")
    case ("-", nil):
      file = "<stdin>"
      sql = try console.readAll()
    case (let operand?, nil):
      file = nil
      sql = operand
    case (nil, let path?):
      file = path
      let data: Data
      do { data = try Data(contentsOf: URL(filePath: path)) } catch {
        throw Failure("\(path) cannot be read")
      }
      guard let text = String(validating: data, as: UTF8.self) else {
        throw Failure("\(path) is not UTF-8")
      }
      sql = text
    }
  }

  /// Calls `body`, and adds the position in the SQL and a suggestion to any error that it throws.
  func placing<T>(on connection: Connection, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      throw Failure(error, in: sql, of: file, on: connection)
    }
  }
}
