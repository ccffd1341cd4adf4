/// The script that completes the arguments of the program in zsh.
enum ZshCompletion {
  static func text(of commands: [any Command]) -> String {
    """
    #compdef sluice
    # Completes the arguments of sluice in zsh. Made by "sluice completions zsh".
    _sluice() {
      local -a commands
      commands=(
    \(list(commands.map { "\($0.name):\($0.summary.withoutPeriod)" } + ["help:Show help"]))
      )
      if ((CURRENT == 2)); then
        if [[ $PREFIX == -* ]]; then
          _arguments '--help[Show help]' '--version[Show the versions]'
        else
          _describe command commands
        fi
        return
      fi
      local command=$words[2]
      words=("${(@)words[2,-1]}")
      ((CURRENT--))
      case $command in
        help) _describe command commands;;
    \(commands.map(arguments).joined(separator: "\n"))
      esac
    }
    if [[ $funcstack[1] == _sluice ]]; then
      _sluice "$@"
    else
      compdef _sluice sluice
    fi

    """
  }

  private static func list(_ words: [String]) -> String {
    words.map { "    \($0.inQuotes)" }.joined(separator: "\n")
  }

  private static func arguments(of command: any Command) -> String {
    let options = command.allOptions.map { option in
      let help = option.help.firstSentence.replacing(#/[\[\]\\]/#) { "\\\($0.0)" }
      let value = option.value.map { "=[\(help)]:\($0):\(option.kind.action)" } ?? "[\(help)]"
      return (option.repeats ? "*" : "") + option.name + value
    }
    let operands = command.operands.enumerated().map { index, operand in
      "\(index + 1):\(operand.isRequired ? "" : ":")\(operand.name):\(operand.kind.action)"
    }
    let specs = (options + operands).map { " \\\n          \($0.inQuotes)" }.joined()
    return "    \(command.name))\n      _arguments\(specs);;"
  }
}

extension ValueKind {
  /// The action of zsh's function `_arguments`.
  fileprivate var action: String {
    switch self {
    case .text: " "
    case .file: "_files"
    case .folder: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }
}

extension String {
  /// The text as one word of a shell.
  fileprivate var inQuotes: String { "'" + replacing("'", with: "'\\''") + "'" }
}
