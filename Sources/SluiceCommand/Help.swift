extension Command {
  /// The text of `--help`.
  package var help: String {
    let operands = self.operands.map { $0.isRequired ? " \($0.name)" : " [\($0.name)]" }.joined()
    var parts = ["\(summary)\n", "Usage: sluice \(name) [options]\(operands)\n"]
    if !details.isEmpty { parts.append(details + "\n") }
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
    Run "sluice COMMAND --help" for help on a command, or "sluice --version" for the version of the
    linked SQLite.

    Arguments after -- are never treated as options. Results go to standard output, everything else
    to standard error.

    Exit status: 0 on success; 1 if a command found what it looks for, such as an error in a checked
    file, drift, damage or a difference; 2 if the arguments are invalid; 3 if SQLite or a file
    operation failed.

    """
  }
}

private enum Help {
  static let option = Option(name: "--help", help: "Show this text.")

  /// Returns a list of words and their help texts, with the lines of each help text aligned.
  static func list(_ title: String, _ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 3
    let lines = rows.map { word, help in
      let padding = String(repeating: " ", count: width - word.count)
      let indent = "\n" + String(repeating: " ", count: width + 2)
      return "  \(word)\(padding)\(help.replacing("\n", with: indent))\n"
    }
    return "\(title)\n\(lines.joined())"
  }
}
