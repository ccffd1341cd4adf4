import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The command `sluice export`, which writes the rows of a query to a file.
struct ExportCommand: Command {
  let name = "export"
  let summary = "Exports the rows of a table or query as CSV, TSV or JSON."
  let details = """
    The file appears when it is complete. NULL is an empty field in CSV, and the empty text is "".
    Infinities are the numbers 9e999 and -9e999. Text that is not UTF-8 is an error.
    """
  let operands = [
    Operand(name: "DATABASE", kind: .file, help: "The database file, which is opened read-only."),
    Operand(name: "QUERY", help: "The name of a table or view, or a single statement of SQL."),
    Operand(
      name: "FILE", kind: .file, help: "The file; standard output if it is omitted.",
      isRequired: false),
  ]
  static let overwrite = Option(name: "--overwrite", help: "Replace the file if it exists.")
  let options = [
    DataOptions.format, DataOptions.separator,
    Option(name: DataOptions.noHeader.name, help: "Do not write the names of the columns."),
    DataOptions.null, DataOptions.hex, DataOptions.crlf, DataOptions.mark, overwrite,
  ]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let query = arguments.operands[1]
    // A hyphen stands for standard output, as in other commands.
    let file = arguments.operands.dropFirst(2).first.flatMap { $0 == "-" ? nil : $0 }
    let options = try DataOptions(arguments, file: file, standard: file == nil ? .csv : nil)
    let database = try DatabaseFile(arguments.operands[0])
    if let file, !arguments.has(Self.overwrite), FileManager.default.fileExists(atPath: file) {
      throw Failure("\(file) exists; pass --overwrite to replace it")
    }
    var isRepeated = false
    try database.read { connection in
      // If another process has changed the database meanwhile, the rows are read again.
      defer { isRepeated = true }
      let sql = try Self.sql(query, connection)
      try Self.placing(query, on: connection) {
        if let file {
          try console.showingProgress(of: "export") { bar in
            try bar.watch(connection)
            try connection.exportRows(
              sql, as: options.format, to: URL(filePath: file),
              overwriting: isRepeated || arguments.has(Self.overwrite), blobs: options.blobs)
          }
        } else {
          guard !isRepeated else {
            throw Failure("\(database.path) changed while its rows were written; try again")
          }
          try connection.exportRows(
            sql, as: options.format, blobs: options.blobs, to: console.write(data:))
        }
      }
    }
    return .success
  }

  /// Returns the SQL for the operand, which is SQL or the name of a table.
  private static func sql(_ query: String, _ connection: Connection) throws -> SQL {
    guard try connection.table(named: query) == nil else {
      return "SELECT * FROM \(identifier: query)"
    }
    guard query.contains(where: { $0.isWhitespace || $0 == "(" }) || query.isEmpty else {
      throw Failure.missing(
        table: query, among: try connection.tables().filter { $0.kind != .shadow })
    }
    return "\(raw: query)"
  }

  /// Calls `body`, and adds the position in the SQL and a suggestion to any error that it throws.
  private static func placing(
    _ query: String, on connection: Connection, _ body: () throws -> Void
  ) throws {
    do { try DataOptions.naming(body) } catch let error as SQLiteError {
      guard error.code != .readOnly else {
        throw Failure("The statement writes to the database, but export only reads it")
      }
      guard error.sql == query else { throw error }
      throw Failure(error, in: query, of: nil, on: connection)
    }
  }
}
