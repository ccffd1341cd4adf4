import Sluice

/// The command `sluice schema`, which shows the schema of a database.
struct SchemaCommand: Command {
  let name = "schema"
  let summary = "Shows the tables, views, indexes and triggers of a database."
  let details = """
    SQLite's internal objects are omitted, and so are the tables in which virtual tables keep their
    content.
    """
  let operands = [Source.operand]
  static let table = Option(
    name: "--table", value: "NAME", help: "Show only this table or view; can be repeated.",
    repeats: true)
  static let sql = Option(
    name: "--sql", help: "Write the schema as SQL that sqlite3 can read.")
  let options = [table, sql, .json]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    guard !arguments.has(Self.sql) || !arguments.has(.json) else {
      throw arguments.usageError("--sql and --json cannot be combined; the JSON contains the SQL")
    }
    let names = arguments.values(of: Self.table)
    let report = try Source.read(arguments.operands[0]) { connection in
      // Because of the transaction, all parts of the report show the same state.
      try connection.transaction { connection in try SchemaReport(of: connection, only: names) }
    }
    if arguments.has(.json) {
      try console.write(json: report)
    } else {
      try console.write(arguments.has(Self.sql) ? report.sql : report.text)
    }
    return .success
  }
}
