/// The command `sluice manual`, which writes the manual page.
struct ManualCommand: Command {
  let name = "manual"
  let summary = "Writes the manual page of the program, for man."
  let details = """
    The page is written to standard output, in the language of roff. It has the content of the help
    texts of all commands.
    """
  let operands: [Operand] = []
  let options: [Option] = []

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    try console.write(Manual.text(of: SluiceCommand.commands))
    return .success
  }
}
