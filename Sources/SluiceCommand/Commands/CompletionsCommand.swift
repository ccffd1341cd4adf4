/// The command `sluice completions`, which writes a script for a shell.
struct CompletionsCommand: Command {
  let name = "completions"
  let summary = "Writes a script that completes commands, options and files in a shell."
  let details = """
    The script is written to standard output. It completes the words that an option accepts, and the
    names of files and folders.
    """
  static let shells: [String: @Sendable ([any Command]) -> String] = [
    "bash": BashCompletion.text, "zsh": ZshCompletion.text, "fish": FishCompletion.text,
  ]
  let operands = [
    Operand(name: "SHELL", kind: .words(["bash", "zsh", "fish"]), help: "bash, zsh or fish.")
  ]
  let options: [Option] = []

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let name = arguments.operands[0]
    guard let script = Self.shells[name] else {
      throw UsageError.unknown("script for the shell", name, Self.shells.keys.sorted(), self)
    }
    try console.write(script(SluiceCommand.commands))
    return .success
  }
}
