import SluiceCommand
import Testing

@Suite struct `S4 The way in which commands are called` {
  @Test func `no command is a mistake that tells which there are`() {
    let run = Run()
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(run.messages.hasPrefix("sluice: error: A command is missing: "))
    #expect(run.messages.hasSuffix("\nTry: sluice --help\n"))
  }

  @Test(arguments: ["--help", "-h", "help"]) func `help tells of each command`(word: String) {
    let run = Run(word)
    #expect(run.code == .success)
    #expect(run.messages.isEmpty)
    for command in SluiceCommand.commands {
      #expect(run.output.contains("  \(command.name) "))
    }
  }
}
