import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The command `sluice import`, which imports the rows of a file into a table.
struct ImportCommand: Command {
  let name = "import"
  let summary = "Imports the rows of a CSV, TSV or JSON file into a table."
  let details = """
    The columns of the file belong to the columns of the table with the same names. If the table
    does not exist, it is created, with types that fit all values; from standard input, they fit
    the first 4 MB. All rows are imported in one transaction. The first row that is refused, for
    example because of a constraint, stops the import, and nothing is changed. With --refused, such
    rows are written to a file instead, and the exit status is 1.

    With --key, a row is refused if its key is NULL, or if the column would store the key as another
    number, such as 007 as 7.
    """
  let operands = [
    Operand(name: "DATABASE", kind: .file, help: "The database file."),
    Operand(name: "TABLE", help: "The name of the table."),
    Operand(name: "FILE", kind: .file, help: "The file, or - for standard input."),
  ]
  static let create = Option(
    name: "--create", help: "Create the database if it does not exist.")
  static let column = Option(
    name: "--column", value: "NAME",
    help: "The name of the next column, in place of the names in the file; can be repeated.",
    repeats: true)
  static let key = Option(
    name: "--key", value: "NAME",
    help: "A column of the key: a row whose key exists updates that row; can be repeated.",
    repeats: true)
  static let type = Option(
    name: "--type", value: "NAME=TYPE",
    help: "The type of a column in a new table: integer, real, text or blob; can be repeated.",
    repeats: true)
  static let ignoreUnknown = Option(
    name: "--ignore-unknown", help: "Skip columns that the table does not have.")
  static let refused = Option(
    name: "--refused", value: "FILE",
    kind: .file,
    help: "Write refused rows with their lines and reasons to a new CSV file, and go on.")
  let options = [
    DataOptions.format, DataOptions.separator, DataOptions.noHeader, column, DataOptions.null,
    DataOptions.encoding, DataOptions.hex, key, type, ignoreUnknown, refused, create, .json,
  ]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let (path, table, file) = (
      arguments.operands[0], arguments.operands[1], arguments.operands[2]
    )
    let options = try DataOptions(arguments, file: file, standard: nil)
    let format = try Self.naming(options.format, arguments)
    let types = try Self.types(arguments)
    if let refused = arguments.value(of: Self.refused),
      FileManager.default.fileExists(atPath: refused)
    {
      throw Failure("\(refused) exists, and is not replaced")
    }
    let refusals: RefusalPolicy =
      arguments.value(of: Self.refused).map { .write(to: URL(filePath: $0)) } ?? .stop
    let target = ImportTarget(table: table, file: file, format: format)
    var newTable: String?
    let result = try console.showingProgress(of: "import") { bar in
      try Self.writing(path, create: arguments.has(Self.create)) { connection in
        let source =
          file == "-"
          ? ImportSource(format, console.inputParts())
          : try ImportSource(URL(filePath: file), format)
        newTable = try target.similarTable(on: connection)
        return try Self.placing(target, on: connection) {
          try connection.importRows(
            from: source, into: table, key: arguments.values(of: Self.key), types: types,
            ignoresUnknownColumns: arguments.has(Self.ignoreUnknown), blobs: options.blobs,
            refusals: refusals, progress: bar.update)
        }
      }
    }
    if let newTable { console.tell(.note, newTable) }
    if let separator = target.noteOnSeparator { console.tell(.note, separator) }
    if arguments.has(.json) {
      try console.write(json: ImportReport(rows: result.rowCount, refused: result.refusedCount))
    } else {
      let refused = result.refusedCount == 0 ? "" : ", refused \(result.refusedCount)"
      try console.write(
        "imported \(result.rowCount.counting("row")) into \(table.inOneLine)\(refused)\n"
      )
    }
    return result.refusedCount == 0 ? .success : .found
  }

  private struct ImportReport: Encodable {
    let rows: Int
    let refused: Int
  }

  /// Returns the format with the names of `--column`.
  private static func naming(_ format: DataFormat, _ arguments: Arguments) throws -> DataFormat {
    let names = arguments.values(of: column)
    guard !names.isEmpty else { return format }
    guard case .separated(var csv) = format else {
      throw arguments.usageError("\(column.name) does not apply to JSON")
    }
    csv.columnNames = names
    return .separated(csv)
  }

  private static func types(_ arguments: Arguments) throws -> [String: StorageClass] {
    var types: [String: StorageClass] = [:]
    for text in arguments.values(of: type) {
      let (name, word) =
        text.lastIndex(of: "=").map {
          (String(text[..<$0]), String(text[$0...].dropFirst()))
        } ?? ("", "")
      guard text.contains("="), let type = StorageClass(rawValue: word.uppercased()), type != .null
      else {
        throw arguments.usageError(
          "--type must be NAME=TYPE, with the type integer, real, text or blob (got \"\(text)\")"
            + suggestion(for: word, among: ["integer", "real", "text", "blob"]))
      }
      types[name] = type
    }
    return types
  }

  /// Calls `body` with a connection that can write to the database at `path`.
  private static func writing<T>(
    _ path: String, create: Bool, _ body: (Connection) throws -> T
  ) throws -> T {
    func write(_ path: String, create: Bool) throws -> T {
      let connection = try Connection(
        path: path, create: create, configuration: .ofCommand(writing: path))
      let result = try DataOptions.naming { try body(connection) }
      try connection.close()
      return result
    }
    guard path.isEmpty || FileManager.default.fileExists(atPath: path) else {
      guard create else {
        throw Failure("\(path) does not exist; pass --create to create it")
      }
      return try NewDatabase.writing(path) { try write($0, create: true) }
    }
    return try DatabaseFile(path).naming { try write(path, create: false) }
  }

  /// Calls `body`, and adds the name of the file to errors that concern its rows.
  private static func placing<T>(
    _ target: ImportTarget, on connection: Connection, _ body: () throws -> T
  ) throws -> T {
    do { return try body() } catch let error as SQLiteError
      where !error.isOfDatabase && error.code.primary != .cantOpen
    {
      let name = target.file == "-" ? "<stdin>" : target.file
      if let match = error.message.wholeMatch(of: #/Line ([0-9]+): (.*)/#.dotMatchesNewlines()),
        let line = Int(match.1)
      {
        throw Failure(String(match.2), at: Failure.Place(file: name, line: line))
      }
      throw Failure("\(name): \(error.message)\(target.suggestion(for: error, on: connection))")
    }
  }
}

extension SQLiteError {
  /// Whether the error concerns the database file, not the data that is written to it.
  var isOfDatabase: Bool {
    [.busy, .locked, .readOnly, .full, .ioError, .corrupt, .notADatabase].contains(code.primary)
  }
}
