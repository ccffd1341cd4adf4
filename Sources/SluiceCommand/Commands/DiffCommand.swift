import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The command `sluice diff`, which compares two databases.
struct DiffCommand: Command {
  let name = "diff"
  let summary = "Compares two databases, and writes SQL that turns the first into the second."
  let details = """
    Both files are opened read-only. Rows are matched by their primary key, or by their rowid if the
    table has none. The record of migrations, sluice_migration, is a table like the others: it contains
    the times at which the migrations were applied. The exit status is 0 if the databases are equal,
    and 1 if they differ.
    """
  let operands = [
    Operand(name: "FROM", kind: .file, help: "The database file to change."),
    Operand(name: "TO", kind: .file, help: "The database file with the wanted schema and rows."),
  ]
  static let brief = Option(
    name: "--summary", help: "Write the differences of the schema and the number of different rows."
  )
  static let output = Option(
    name: "--output", value: "FILE", kind: .file, help: "Write the SQL to this new file.")
  let options = [brief, output]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let output = arguments.value(of: Self.output)
    guard output == nil || !arguments.has(Self.brief) else {
      throw arguments.usageError("--summary and --output cannot be combined")
    }
    if let output, FileManager.default.fileExists(atPath: output) {
      throw Failure("\(output) exists")
    }
    let files = try zip(["old", "new"], arguments.operands).map { ($0, try DatabaseFile($1)) }
    guard
      files[0].1.encoding == nil || files[1].1.encoding == nil
        || files[0].1.encoding == files[1].1.encoding
    else { throw Failure("The databases cannot be compared: their text has different encodings") }
    if arguments.has(Self.brief) {
      let report = try DatabaseFile.read(files) { connection in
        try console.showingProgress(of: "diff") { bar in
          try bar.watch(connection)
          return try self.report(on: DatabaseDiff(connection, from: "old", to: "new"))
        }
      }
      try console.write(report.lines)
      tell(report.uncompared, console)
      return report.lines.isEmpty ? .success : .found
    }
    return try write(files, to: output, console)
  }

  /// Returns the differences, one per line, and the tables that were not compared.
  private func report(
    on diff: DatabaseDiff
  ) throws -> (lines: String, uncompared: [DatabaseDiff.UncomparedTable]) {
    let schema = diff.schemaChanges.map { "\($0.description.inOneLine)\n" }.joined()
    let counts = try diff.summary().map { table in
      [
        table.table, "\(table.insertedCount) inserted", "\(table.updatedCount) updated",
        "\(table.deletedCount) deleted",
      ]
    }
    return (schema + (counts.isEmpty ? "" : "rows\n" + aligned(counts)), diff.uncomparedTables)
  }

  private func write(
    _ files: [(String, DatabaseFile)], to output: String?, _ console: Console
  ) throws -> ExitCode {
    // The SQL is complete before anything is written to standard output: an error can occur at any row, and a
    // database that changes meanwhile is read again.
    let folder = FileManager.default.temporaryDirectory
    let url =
      output.map { URL(filePath: $0) } ?? folder.appending(path: "sluice-\(UUID().uuidString).sql")
    defer {
      // A leftover temporary file is harmless.
      if output == nil { try? FileManager.default.removeItem(at: url) }
    }
    let (isDifferent, uncompared) = try DatabaseFile.read(files) { connection in
      try console.showingProgress(of: "diff") { bar in
        try bar.watch(connection)
        let diff = try DatabaseDiff(connection, from: "old", to: "new")
        return (try diff.writeSQL(to: url, overwriting: true), diff.uncomparedTables)
      }
    }
    if output == nil {
      let file: FileHandle
      do { file = try FileHandle(forReadingFrom: url) } catch {
        throw Failure("\(url.path(percentEncoded: false)) cannot be read")
      }
      while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty {
        try console.write(sql: piece)
      }
    }
    tell(uncompared, console)
    return isDifferent ? .found : .success
  }

  private func tell(_ tables: [DatabaseDiff.UncomparedTable], _ console: Console) {
    for table in tables {
      console.tell(.note, "The rows of \(table.name.inOneLine) are not compared: \(table.reason)")
    }
  }
}
