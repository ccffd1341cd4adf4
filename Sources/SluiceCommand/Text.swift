extension String {
  /// The text with line ends and tabs escaped, for names in a table.
  var inOneLine: String {
    replacing("\r", with: "\\r").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
  }

  /// The text without a period at its end.
  var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }

  /// The first sentence in one line, without its period.
  var firstSentence: String {
    let text = replacing("\n", with: " ")
    return String(text[..<(text.firstRange(of: ". ")?.lowerBound ?? text.endIndex)]).withoutPeriod
  }

  /// Returns the text, followed by spaces up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Returns rows of text in aligned columns, each row indented by two spaces.
func aligned(_ rows: [[String]]) -> String {
  let rows = rows.map { $0.map(\.inOneLine) }
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], cell.count)
    }
  }
  return rows.map { row in
    // An empty column takes no space.
    let cells = zip(row, widths).filter { $0.1 > 0 }.map { cell, width in cell.padded(to: width) }
    var line = "  " + cells.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }.joined()
}
