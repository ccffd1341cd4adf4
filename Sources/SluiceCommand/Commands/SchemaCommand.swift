import Sluice
import SluiceData
import SluiceSQL

/// The command `sluice schema`, which shows the schema of a database.
struct SchemaCommand: Command {
  let name = "schema"
  let summary = "Shows the tables, views, indexes and triggers of a database."
  let details = """
    SQLite's internal objects are omitted, and so are the tables in which virtual tables keep their
    content. The record of migrations, sluice_migration, is shown only if --table names it.
    """
  let operands = [Source.operand]
  static let table = Option(
    name: "--table", value: "NAME", help: "Show only this table or view; can be repeated.",
    repeats: true)
  static let sql = Option(
    name: "--sql", help: "Write the schema as SQL that sqlite3 can read.")
  static let format = Option(
    name: "--format", value: "FORMAT", kind: .words(["svg", "mermaid", "dot"]),
    help: "Write a diagram of the tables and foreign keys: svg, mermaid or dot.")
  static let views = Option(name: "--views", help: "Show views in the diagram, too.")
  let options = [table, sql, format, views, .json]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    guard !arguments.has(Self.sql) || !arguments.has(.json) else {
      throw arguments.usageError("--sql and --json cannot be combined; the JSON contains the SQL")
    }
    let names = arguments.values(of: Self.table)
    if let format = try DiagramFormat(arguments) {
      let diagram = try Source.read(arguments.operands[0]) { connection in
        try connection.schemaDiagram(
          of: names.isEmpty ? nil : SchemaReport.tables(of: connection, names),
          includesViews: arguments.has(Self.views))
      }
      try console.write(format.text(of: diagram))
      return .success
    }
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

extension DiagramFormat {
  /// Reads the format from the options; nil if no diagram is wanted.
  fileprivate init?(_ arguments: Arguments) throws {
    guard let format = try arguments.meaning(of: SchemaCommand.format, Self.init(rawValue:)) else {
      if arguments.has(SchemaCommand.views) { throw arguments.usageError("--views needs --format") }
      return nil
    }
    for option in [SchemaCommand.sql, .json] where arguments.has(option) {
      throw arguments.usageError("--format and \(option.name) cannot be combined")
    }
    self = format
  }

  /// Returns the diagram in this format.
  func text(of diagram: SchemaDiagram) -> String {
    switch self {
    case .svg: diagram.svg
    case .mermaid: diagram.mermaid
    case .dot: diagram.dot
    }
  }
}
