import Sluice

/// The manual page of the program, in the language of `man`.
enum Manual {
  static func text(of commands: [any Command]) -> String {
    """
    .\\" Made by "sluice manual".
    .TH SLUICE 1 "" "Sluice \(SluiceVersion.text)" "User Commands"
    .SH NAME
    sluice \\- \(first(SluiceCommand.summary.withoutPeriod))
    .SH SYNOPSIS
    .B sluice
    \(SluiceCommand.usage.inRoff)
    .SH DESCRIPTION
    \(paragraphs(SluiceCommand.details))
    .SH COMMANDS
    \(commands.map(section).joined(separator: "\n"))

    """
  }

  private static func section(of command: any Command) -> String {
    let items =
      command.operands.map { item("\\fI\($0.name.inRoff)\\fR", $0.help) }
      + command.allOptions.map { option in
        let value = option.value.map { " \\fI\($0.inRoff)\\fR" } ?? ""
        return item("\\fB\(option.name.inRoff)\\fR\(value)", option.help)
      }
    let details = command.details.isEmpty ? "" : "\n.PP\n\(paragraphs(command.details))"
    return """
      .SS "sluice \(command.usage.inRoff)"
      \(command.summary.inRoff)\(details)
      \(items.joined(separator: "\n"))
      """
  }

  private static func item(_ tag: String, _ help: String) -> String {
    let lines = help.split(separator: "\n").map { String($0).inRoff }
    return ".TP\n\(tag)\n" + lines.joined(separator: "\n.br\n")
  }

  private static func paragraphs(_ text: String) -> String {
    text.split(separator: "\n\n").map { paragraph in
      paragraph.split(separator: "\n").map { String($0).inRoff }.joined(separator: "\n")
    }.joined(separator: "\n.PP\n")
  }

  /// Returns the text with a lowercase first letter.
  private static func first(_ text: String) -> String {
    (text.prefix(1).lowercased() + text.dropFirst()).inRoff
  }
}

extension String {
  /// The text with the characters escaped that have a meaning, or another form, in roff.
  fileprivate var inRoff: String {
    let escapes: [Character: String] = [
      "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
      "\"": "\\(dq",
    ]
    let text = map { escapes[$0] ?? String($0) }.joined()
    // A line that begins with a period would be a request.
    return text.hasPrefix(".") ? "\\&" + text : text
  }
}
