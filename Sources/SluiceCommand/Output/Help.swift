extension Command {
  /// Returns the text of `--help` in lines of at most `width` characters.
  func help(width: Int) -> StyledText {
    let layout = HelpLayout(width: width)
    var parts: [StyledText] = [
      StyledText(layout.wrapped(summary) + "\n"),
      StyledText("Usage:", .heading) + " sluice \(usage)\n",
    ]
    if !details.isEmpty { parts.append(StyledText(layout.wrapped(details) + "\n")) }
    if !operands.isEmpty {
      parts.append(layout.list("Arguments:", operands.map { ($0.name, $0.help) }))
    }
    parts.append(layout.list("Options:", allOptions.map { ($0.usage, $0.help) }))
    return parts.joined(separator: "\n")
  }

  /// The name, followed by the arguments in brackets if they can be omitted.
  var usage: String {
    "\(name) [options]"
      + operands.map { $0.isRequired ? " \($0.name)" : " [\($0.name)]" }.joined()
  }

  /// The options, including `--help`.
  var allOptions: [Option] { options + [.help] }
}

extension Option {
  /// The name, followed by the name of the value.
  var usage: String { name + (value.map { " \($0)" } ?? "") }
}

extension SluiceCommand {
  static let summary = "Checks, migrates and inspects SQLite databases and their SQL."
  static let usage = "COMMAND [options] [arguments]"

  /// Additional help; an empty line begins a paragraph.
  static let details = """
    Run "sluice COMMAND --help" for help on a command, or "sluice --version" for the versions of
    Sluice and of the linked SQLite.

    Arguments after -- are never treated as options. Results go to standard output, everything else
    to standard error.

    Exit status: 0 on success; 1 if a command found what it looks for, such as an error in a checked
    file, drift, damage or a difference; 2 if the arguments are invalid; 3 if SQLite or a file
    operation failed.

    On a terminal, messages have colors, unless NO_COLOR is set or TERM is dumb. With FORCE_COLOR,
    they have colors in a pipe, too. COLUMNS replaces the width of the terminal.
    """

  /// Returns the text of `sluice --help` in lines of at most `width` characters.
  static func help(width: Int) -> StyledText {
    let layout = HelpLayout(width: width)
    return [
      StyledText(layout.wrapped(summary) + "\n"),
      StyledText("Usage:", .heading) + " sluice \(usage)\n",
      layout.list("Commands:", commands.map { ($0.name, $0.summary) }),
      StyledText(layout.wrapped(details) + "\n"),
    ].joined(separator: "\n")
  }
}
