/// The script that completes the arguments of the program in fish.
enum FishCompletion {
  static func text(of commands: [any Command]) -> String {
    let names = commands.map { command in
      "complete -c sluice -n '__sluice_command \"\"' -a \(command.name) "
        + "-d \(command.summary.withoutPeriod.inQuotes)"
    }
    return """
      # Completes the arguments of sluice in fish. Made by "sluice completions fish".
      # Returns whether the first argument is the command, or missing if the command is empty.
      function __sluice_command
        set -l words (commandline -opc)
        test "$words[2]" = "$argv[1]"
      end
      complete -c sluice -f
      \(names.joined(separator: "\n"))
      complete -c sluice -n '__sluice_command ""' -a help -d 'Show help'
      complete -c sluice -n '__sluice_command ""' -l help -d 'Show help'
      complete -c sluice -n '__sluice_command ""' -l version -d 'Show the versions'
      complete -c sluice -n '__sluice_command help' -a '\(commands.map(\.name).joined(separator: " "))'
      \(commands.flatMap(lines).joined(separator: "\n"))

      """
  }

  private static func lines(of command: any Command) -> [String] {
    let start = "complete -c sluice -n '__sluice_command \(command.name)'"
    let options = command.allOptions.map { option in
      "\(start) -l \(option.name.dropFirst(2))\(option.value == nil ? "" : " -r \(option.kind.source)")"
        + " -d \(option.help.firstSentence.inQuotes)"
    }
    let operands = command.operands.map(\.kind).filter { $0 != .text }.map {
      "\(start) \($0.source)"
    }
    return options
      + operands.enumerated().filter { index, line in
        operands.firstIndex(of: line) == index
      }.map(\.element)
  }
}

extension ValueKind {
  /// The arguments of fish's command `complete`.
  fileprivate var source: String {
    switch self {
    case .text: "-f"
    case .file: "-F"
    case .folder: "-f -a '(__fish_complete_directories)'"
    case .words(let words): "-f -a '\(words.joined(separator: " "))'"
    }
  }
}

extension String {
  /// The text as one word of the shell.
  fileprivate var inQuotes: String {
    "'" + replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
