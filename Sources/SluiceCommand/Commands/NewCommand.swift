import Foundation
import Sluice
import SluiceSQL

/// The command `sluice new`, which creates a file for a migration or a query.
struct NewCommand: Command {
  let name = "new"
  let summary = "Creates a file for the next migration, or for a query."
  let details = """
    The name of a migration begins with the number after the last one, with as many digits. The file
    passes "sluice check" as it is; replace its statement. An existing file is never changed. The
    path of the file is printed.
    """
  let operands = [
    Operand(name: "NAME", help: "The name of the migration, such as create_person, or query."),
    Operand(
      name: "FOLDER", kind: .folder,
      help: "The folder that contains Migrations and Queries (default: the current folder).",
      isRequired: false),
  ]
  static let query = Option(
    name: "--query", help: "Create Queries/NAME.sql, with a query of this name.")
  let options = [query]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let name = arguments.operands[0]
    let folder = arguments.operands.dropFirst().first ?? "."
    guard MigrationFolder.isThere(folder) else { throw Failure("\(folder) is not a folder") }
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), name.inOneLine == name,
      name.withoutControls == name
    else {
      throw arguments.usageError(
        "NAME must be the name of a file, without a folder (got \"\(name.inOneLine)\")")
    }
    guard !name.lowercased().hasSuffix(".sql") else {
      throw arguments.usageError("NAME must not end with .sql, which is added (got \"\(name)\")")
    }
    let start = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
    let path: String
    if arguments.has(Self.query) {
      path = start + "Queries/\(name).sql"
      guard !FileManager.default.fileExists(atPath: path) else { throw Failure("\(path) exists") }
      try create(path, try query(name, in: folder, arguments))
    } else {
      let (number, digits) = try nextNumber(in: start + "Migrations")
      path = start + "Migrations/\(digits)_\(name).sql"
      try create(path, migration(number))
    }
    try console.write("\(path)\n")
    return .success
  }

  /// Creates a file and its folder.
  private func create(_ path: String, _ text: String) throws {
    let url = URL(filePath: path)
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch { throw Failure("The folder of \(path) cannot be created") }
    do { try Data(text.utf8).write(to: url, options: .withoutOverwriting) } catch {
      let isThere = FileManager.default.fileExists(atPath: path)
      throw Failure(isThere ? "\(path) exists" : "\(path) cannot be created")
    }
  }
}

extension NewCommand {
  /// Returns the number after those of the files in a folder, and the number as it is written in the name of a file.
  private func nextNumber(in folder: String) throws -> (number: Int, digits: String) {
    guard MigrationFolder.isThere(folder) else { return (1, "0001") }
    let last: Int
    let names: [String]
    do {
      let url = URL(filePath: folder, directoryHint: .isDirectory)
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
      // The migrator rejects gaps and duplicates.
      last = try Migrator(Migration.files(in: url)).steps.last?.number ?? 0
    } catch let error as SQLiteError {
      throw Failure("\(folder): \(error.message)")
    } catch {
      throw Failure("The migrations in \(folder) cannot be read")
    }
    let numbers = names.filter { $0.lowercased().hasSuffix(".sql") }.map { name in
      name.prefix { $0.isASCII && $0.isNumber }
    }
    let width = numbers.max { (Int($0) ?? 0) < (Int($1) ?? 0) }?.count ?? 4
    let digits = "\(last + 1)"
    return (last + 1, String(repeating: "0", count: max(0, width - digits.count)) + digits)
  }

  private func migration(_ number: Int) -> String {
    """
    -- Migration \(number): replace the statement below with those that change the schema, such as
    --   ALTER TABLE person ADD COLUMN age INTEGER;
    -- All of them run in one transaction. Do not edit them after a database has run them.
    SELECT 1;

    """
  }

  /// Returns the text of a file with a query, or throws if the query cannot have the name.
  private func query(_ name: String, in folder: String, _ arguments: Arguments) throws -> String {
    let text = """
      -- @query \(name)
      -- Replace this statement. :name is a parameter, and the columns are those of the rows.
      SELECT 1 AS number;

      """
    let file = QueryFile(SourceText(path: "", text: text))
    if let problem = file.diagnostics.first { throw arguments.usageError(problem.message) }
    guard file.names == [name] else {
      throw arguments.usageError("\"\(name)\" cannot be the name of a function in Swift")
    }
    let project = Project(folder: URL(filePath: folder, directoryHint: .isDirectory))
    for other in project.queryFiles where Project.queries(other).file?.names.contains(name) == true
    {
      throw Failure("\(other.lastPathComponent) already has a query named \(name)")
    }
    return text
  }
}
