import Sluice
import SluiceSQL

/// The command `sluice doctor`, which describes the linked SQLite and checks a database.
struct Doctor: Command {
  let name = "doctor"
  let summary = "Describes the linked SQLite, lists its known defects, and checks a database."
  let details = """
    A database is checked for damage, rows that refer to missing rows, and foreign keys that refer
    to missing tables. If any is found, the exit status is 1. Known defects of the linked SQLite do
    not affect the status, because they are not in the file.
    """
  let operands = [
    Operand(
      name: "DATABASE", kind: .file, help: "A database file, which is opened read-only.",
      isRequired: false)
  ]
  static let quick = Option(
    name: "--quick", help: "Skip the comparison of indexes with their tables.")
  static let require = Option(
    name: "--require", value: "NAME",
    kind: .words(SQLiteCapability.allCases.map { "\($0)" }),
    help: "Exit with status 1 if the linked SQLite lacks this capability, such as fts5; "
      + "can be repeated.",
    repeats: true)
  let options = [quick, require, .json]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let required = try arguments.values(of: Self.require).map { name in
      if let found = SQLiteCapability.allCases.first(where: { "\($0)" == name }) { return found }
      throw UsageError.unknown("capability", name, Self.require.words, self)
    }
    let lacking = required.filter { !SQLiteLibrary.has($0) }.map { "\($0)" }
    let report = try DoctorReport(
      sqlite: LibraryReport(),
      database: arguments.operands.first.map { path in
        try console.showingProgress(of: "check") { bar in
          try DatabaseReport(of: DatabaseFile(path), isQuick: arguments.has(Self.quick), bar)
        }
      }, lacking: lacking)
    if arguments.has(.json) {
      try console.write(json: report)
    } else {
      try console.write(report.text)
    }
    let isSound =
      report.database.map { database in
        database.integrity.isEmpty && database.foreignKeys.isEmpty && database.missingTables.isEmpty
      } ?? true
    return isSound && lacking.isEmpty ? .success : .found
  }
}
