/// The script that completes the arguments of the program in bash.
enum BashCompletion {
  static func text(of commands: [any Command]) -> String {
    let names = commands.map(\.name).joined(separator: " ")
    return """
      # Completes the arguments of sluice in bash. Made by "sluice completions bash".
      _sluice() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        local command=${COMP_WORDS[1]} values= only= i index=0
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          COMPREPLY=($(compgen -W '\(names) help --help --version' -- "$word"))
          return
        fi
        # bash splits --option=value into three words.
        if [[ $word == = ]]; then
          word=
        elif [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        for ((i = 2; i < COMP_CWORD; i++)); do
          case $command:${COMP_WORDS[i]} in
            *:--) only=operands; ((index += COMP_CWORD - i - 1)); break;;
            \(optionsWithValue(commands))) ((i++)); [[ ${COMP_WORDS[i]} != = ]] || ((i++));;
            *:-?*) ;;
            *) ((index++));;
          esac
        done
        [[ -z $only ]] || previous=
        case $command:$previous in
          help:*) values='\(names)';;
      \(values(commands))
          *)
            if [[ $word == -* && -z $only ]]; then
              case $command in
      \(optionNames(commands))
              esac
            else
              case $command:$index in
      \(operands(commands))
              esac
            fi;;
        esac
        local IFS=$' \\n'
        case $values in
          @file|@folder)
            IFS=$'\\n'
            [[ $values == @file ]] && COMPREPLY=($(compgen -f -- "$word"))
            [[ $values == @folder ]] && COMPREPLY=($(compgen -d -- "$word"))
            # Old versions of bash do not have the command.
            compopt -o filenames 2>/dev/null
            return 0;;
          *) COMPREPLY=($(compgen -W "$values" -- "$word"));;
        esac
      }
      complete -F _sluice sluice

      """
  }

  /// The patterns of the options that have a value.
  private static func optionsWithValue(_ commands: [any Command]) -> String {
    commands.flatMap { command in
      command.options.filter { $0.value != nil }.map { "\(command.name):\($0.name)" }
    }.joined(separator: "|")
  }

  private static func values(_ commands: [any Command]) -> String {
    cases(
      commands.flatMap { command in
        command.options.filter { $0.value != nil }.map {
          ("\(command.name):\($0.name)", $0.kind.words)
        }
      }, indent: 4)
  }

  private static func optionNames(_ commands: [any Command]) -> String {
    cases(
      commands.map { ($0.name, $0.allOptions.map(\.name).joined(separator: " ")) }, indent: 10)
  }

  private static func operands(_ commands: [any Command]) -> String {
    cases(
      commands.flatMap { command in
        command.operands.enumerated().map { ("\(command.name):\($0)", $1.kind.words) }
      }, indent: 10)
  }

  private static func cases(_ cases: [(pattern: String, words: String)], indent: Int) -> String {
    cases.map { pattern, words in
      String(repeating: " ", count: indent) + "\(pattern)) values='\(words)';;"
    }.joined(separator: "\n")
  }
}

extension ValueKind {
  /// The words in the script, of which two stand for files and folders.
  fileprivate var words: String {
    switch self {
    case .text: ""
    case .file: "@file"
    case .folder: "@folder"
    case .words(let words): words.joined(separator: " ")
    }
  }
}
