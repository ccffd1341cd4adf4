import Foundation
import Sluice
import SluiceSQL

/// The command `sluice status`, which shows the migrations of a database.
struct Status: Command {
  let name = "status"
  let summary = "Shows which migrations a database has, and which are pending."
  let details = """
    A line for each migration shows when it was applied, and by which version of SQLite. After them,
    drift is shown as by "sluice migrate". Nothing is run on the database, and nothing is written.
    The exit status is 0 if all migrations are applied and nothing has drifted, and otherwise 1.
    """
  let operands = Migrate.arguments
  let options = [
    RecordOptions.userVersion, RecordOptions.adopting, RecordOptions.table, .json,
  ]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let path = arguments.operands[0]
    let record = try RecordOptions(arguments)
    let migrator = try record.migrator(of: MigrationFolder(arguments.operands[1]))
    let report = try DatabaseFile(path).read { connection in
      do {
        return try StatusReport(of: connection, path, migrator)
      } catch let error as MigrationError {
        return StatusReport(
          database: path, count: migrator.steps.last?.number ?? 0,
          problem: error.description.withOptions)
      }
    }
    if arguments.has(.json) {
      try console.write(json: report)
    } else {
      try console.write(report.text)
    }
    if let problem = report.problem { console.tell(.error, problem) }
    return report.isCurrent ? .success : .found
  }
}
