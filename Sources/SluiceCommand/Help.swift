extension Command {
  /// The text of `--help`.
  package var help: String {
    let operands = self.operands.map { $0.isRequired ? " \($0.name)" : " [\($0.name)]" }.joined()
    var parts = [
      Help.wrapped(summary) + "\n", "Usage: sluice \(name) [options]\(operands)\n",
    ]
    if !details.isEmpty { parts.append(Help.wrapped(details) + "\n") }
    if !self.operands.isEmpty {
      parts.append(Help.list("Arguments:", self.operands.map { ($0.name, $0.help) }))
    }
    let options = (self.options + [Help.option]).map { option in
      (option.name + (option.value.map { " \($0)" } ?? ""), option.help)
    }
    parts.append(Help.list("Options:", options))
    return parts.joined(separator: "\n")
  }
}

extension SluiceCommand {
  /// The text of `sluice --help`.
  package static var help: String {
    """
    Checks, migrates and inspects SQLite databases and their SQL.

    Usage: sluice COMMAND [options] [arguments]

    \(Help.list("Commands:", commands.map { ($0.name, $0.summary) }))
    \(Help.wrapped(notes))

    """
  }
}

private let notes = """
  Run "sluice COMMAND --help" for help on a command, or "sluice --version" for the versions of Sluice
  and of the linked SQLite.

  Arguments after -- are never treated as options. Results go to standard output, everything else to
  standard error.

  Exit status: 0 on success; 1 if a command found what it looks for, such as an error in a checked
  file, drift, damage or a difference; 2 if the arguments are invalid; 3 if SQLite or a file operation
  failed.
  """

private enum Help {
  /// The width of a terminal.
  private static let width = 80

  /// Returns the paragraphs of a text, which empty lines separate, in lines that fit a terminal.
  static func wrapped(_ text: String) -> String {
    text.split(separator: "\n\n").map { lines(of: $0, width).joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  /// Returns the words of a text in lines of at most `width` characters.
  private static func lines(of text: Substring, _ width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  static let option = Option(name: "--help", help: "Show this text.")

  /// Returns a list of words and their help texts, with the lines of each help text aligned.
  static func list(_ title: String, _ rows: [(String, String)]) -> String {
    let indent = (rows.map(\.0.count).max() ?? 0) + 5
    let items = rows.map { word, help in
      // A line break in a help text begins another line.
      let lines = help.split(separator: "\n").flatMap { self.lines(of: $0, width - indent) }
      let separator = "\n" + String(repeating: " ", count: indent)
      return "  \(word)".padded(to: indent) + lines.joined(separator: separator) + "\n"
    }
    return "\(title)\n\(items.joined())"
  }
}
