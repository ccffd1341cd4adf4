/// The results of a search, formatted for the user.
struct Report {
  private let results: SearchResults
  private let start: String
  private let end: String

  /// Creates a report in which matches are bold, if it is styled for a terminal, or in »quotes«.
  init(_ results: SearchResults, isStyled: Bool) {
    self.results = results
    (start, end) = isStyled ? ("\u{1B}[1m", "\u{1B}[0m") : ("»", "«")
  }
}

extension Report: CustomStringConvertible {
  var description: String {
    let lines = results.hits.map(line) + summary
    return lines.map { $0 + "\n" }.joined()
  }

  private func line(_ hit: Hit) -> String {
    // Iterate over scalars, because a mark and a following accent would form one character.
    let marked = hit.text.printable.unicodeScalars.drop { $0 == " " }.reduce(into: "") {
      marked, scalar in
      switch scalar {
      case Hit.start: marked += start
      case Hit.end: marked += end
      default: marked.unicodeScalars.append(scalar)
      }
    }
    return "\(hit.path.printable):\(hit.line): \(marked)"
  }

  private var summary: [String] {
    let lines = results.languages.reduce(0) { $0 + $1.lines }
    guard results.query != nil else {
      return ["The index has \(count(lines, "line")) of text."] + table
    }
    guard lines > 0 else { return ["No line matches."] }
    let matches = lines == 1 ? "1 line matches" : "\(lines) lines match"
    let shown = results.hits.count < lines ? "; the best \(results.hits.count) are shown" : ""
    return ["\(matches)\(shown)."] + table
  }

  private var table: [String] {
    results.languages.map { summary in
      let lines = count(summary.lines, "line")
      let row = "  \(summary.language.printable): \(lines) in \(count(summary.files, "file"))"
      return summary.files == 1 ? row : "\(row), the median file has \(summary.median)"
    }
  }
}
