import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The table and the file of an import, for messages that suggest other names or options.
struct ImportTarget {
  let table: String
  let file: String
  let format: DataFormat

  /// The note that a file with one column may have another separator; nil if it does not apply.
  var noteOnSeparator: String? {
    guard case .separated(let csv) = format, csv.hasHeader, csv.columnNames == nil,
      let names = namesInFile, names.count == 1,
      let separator = [";", "\t", ",", "|"].first(where: names[0].contains)
    else { return nil }
    return "\(file) has one column, named \"\(names[0].inOneLine)\"; if \(separator.inOneLine) "
      + "separates columns, pass --separator"
  }

  /// Returns the note that the table is new, and that another one has a similar name; nil if it does not apply.
  func similarTable(on connection: Connection) throws -> String? {
    // Short names are similar by chance.
    guard table.count > 2, try connection.table(named: table) == nil else { return nil }
    let names = try connection.tables().filter { $0.kind != .shadow }.map(\.name)
    let hint = SluiceSQL.suggestion(for: table, among: names)
    return hint.isEmpty ? nil : "\(table.inOneLine) is a new table\(hint)"
  }

  /// Returns the end of a message about a missing column that suggests a similar one; empty if there is none.
  func suggestion(for error: SQLiteError, on connection: Connection) -> String {
    guard
      let match = error.message.prefixMatch(
        of: #/The (data|table .*) has no (?:key )?column "(.*?)"(?:;|$)/#)
    else { return "" }
    // If the names cannot be read, there is no suggestion.
    let names =
      match.1 == "data" ? namesInFile : try? connection.columns(of: table).map(\.name)
    return SluiceSQL.suggestion(for: String(match.2), among: names ?? [])
  }

  /// The names of the columns in the file; nil if the file cannot be read again, as a pipe cannot.
  private var namesInFile: [String]? {
    let url = URL(filePath: file)
    guard case .separated(let csv) = format,
      (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    else { return nil }
    return (try? CSVReader(url, csv))?.columnNames
  }
}
