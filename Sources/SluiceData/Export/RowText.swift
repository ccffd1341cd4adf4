public import SluiceCore

/// A form of rows as text to read, for logs, debuggers and tests.
///
/// The text is not meant to be parsed: export rows in a ``DataFormat`` for that.
public enum RowText: Hashable, Sendable, CaseIterable {
  /// A table with lines around the cells; numbers are aligned at the right.
  case box
  /// The values of a row in one line, separated by `|`, without the names of the columns.
  case list
  /// The values of a row as SQL literals in one line, separated by commas, without the names of the columns.
  case quote
  /// A line for each value, with the name of its column.
  case line
}

extension Connection {
  /// Returns the rows of a query as text to read.
  ///
  /// ```swift
  /// print(try connection.text(of: "SELECT id, name FROM person"))
  /// // ┌────┬──────┐
  /// // │ id │ name │
  /// // ├────┼──────┤
  /// // │  1 │ Ada  │
  /// // └────┴──────┘
  /// ```
  ///
  /// Blobs and NULL are shown as SQL literals, such as `x'00ff'`. In the text of all forms except ``RowText/quote``, escapes
  /// replace control characters: `\n`. All rows are in memory, so limit the rows of a large table.
  ///
  /// - Parameters:
  ///   - sql: A single statement that returns rows.
  ///   - form: The form of the text.
  /// - Returns: The text, in which each line ends with a line feed; empty if there are no rows, except in a box.
  /// - Throws: ``ResultCode/misuse`` if the statement returns no rows.
  public func text(of sql: SQL, as form: RowText = .box) throws -> String {
    let statement = try prepare(sql: sql.text)
    try statement.bind(SQLParameters(sql.parameters))
    guard statement.columnCount > 0 else {
      throw SQLiteError(.misuse, "The statement returns no rows to show", sql: sql.text)
    }
    let names = statement.columnNames.map(\.shown)
    var rows: [[DatabaseValue]] = []
    try statement.forEachRow { row in
      rows.append(try row.indices.map { try row.value(at: $0) })
    }
    switch form {
    case .box: return RowBox(names, rows).text
    case .list: return rows.map { $0.map(\.shown).joined(separator: "|") + "\n" }.joined()
    case .quote: return rows.map { $0.map(\.description).joined(separator: ",") + "\n" }.joined()
    case .line:
      let width = names.map(\.terminalWidth).max() ?? 0
      let texts = rows.map { row in
        zip(names, row).map { name, value in
          "\(name.padded(to: width, atStart: true)) = \(value.shown)\n"
        }.joined()
      }
      return texts.joined(separator: "\n")
    }
  }
}

/// Rows as a table with lines around the cells.
private struct RowBox {
  private let names: [String]
  private let rows: [[DatabaseValue]]
  private let widths: [Int]

  init(_ names: [String], _ rows: [[DatabaseValue]]) {
    self.names = names
    self.rows = rows
    widths = names.indices.map { index in
      rows.reduce(names[index].terminalWidth) { max($0, $1[index].shown.terminalWidth) }
    }
  }

  var text: String {
    var lines = [border("┌", "┬", "┐")]
    lines.append(line(names.indices.map { names[$0].padded(to: widths[$0]) }))
    lines.append(border("├", "┼", "┤"))
    for row in rows {
      let cells = row.indices.map { index in
        row[index].shown.padded(to: widths[index], atStart: row[index].isNumber)
      }
      lines.append(line(cells))
    }
    lines.append(border("└", "┴", "┘"))
    return lines.map { $0 + "\n" }.joined()
  }

  private func border(_ start: String, _ middle: String, _ end: String) -> String {
    let parts = widths.map { String(repeating: "─", count: $0 + 2) }
    return start + parts.joined(separator: middle) + end
  }

  private func line(_ cells: [String]) -> String {
    "│ " + cells.joined(separator: " │ ") + " │"
  }
}

extension DatabaseValue {
  fileprivate var isNumber: Bool { storageClass == .integer || storageClass == .real }

  /// The value as text to read.
  fileprivate var shown: String {
    switch self {
    case .text(let text): text.shown
    case .null, .integer, .real, .blob: description
    }
  }
}

extension String {
  /// The string with escapes in place of control characters.
  fileprivate var shown: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.map { $0.isControl ? $0.escaped(asASCII: true) : String($0) }.joined()
  }

  fileprivate func padded(to width: Int, atStart: Bool = false) -> String {
    let space = String(repeating: " ", count: width - terminalWidth)
    return atStart ? space + self : self + space
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
