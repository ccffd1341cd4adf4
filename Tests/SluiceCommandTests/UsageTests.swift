import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `command-line usage` {
  @Test func `running sluice without a command prints an error that lists the commands`() {
    let run = Run()
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(
      run.messages
        == "sluice: error: A command is missing\nTry: sluice --help\n"
    )
  }

  @Test(arguments: ["--help", "-h", "help"]) func `the help lists each command with its summary`(
    word: String
  ) {
    let run = Run(word)
    #expect(run.code == .success)
    #expect(run.messages.isEmpty)
    for command in SluiceCommand.commands {
      #expect(run.output.contains("\n  \(command.name) "))
      #expect(
        run.output.split(whereSeparator: \.isWhitespace).contains(
          command.summary.split(separator: " ")))
    }
  }

  @Test(arguments: SluiceCommand.commands.map(\.name))
  func `the help of each command lists all of its options`(name: String) throws {
    let command = try #require(SluiceCommand.commands.first { $0.name == name })
    let help = Run("help", name)
    #expect(help.code == .success)
    #expect(help.output.hasPrefix("\(command.summary)\n\nUsage: sluice \(name) [options]"))
    #expect(help == Run(name, "--help"))
    #expect(help == Run(name, "--nonsense", "-h"))
    for option in command.options { #expect(help.output.contains("\n  \(option.name) ")) }
  }

  @Test(arguments: [[]] + SluiceCommand.commands.map { [$0.name] })
  func `each line of the help fits a terminal with 80 columns`(command: [String]) {
    let lines = Run(command + ["--help"]).output.split(separator: "\n")
    #expect(lines.count > 5)
    #expect(lines.filter { $0.count > 80 }.isEmpty)
    // Lines are not broken much earlier than necessary.
    #expect(lines.contains { $0.count > 70 })
  }

  @Test(arguments: [(nil, 80), (40, 60), (60, 60), (72, 72), (100, 100), (200, 100)])
  func `the help fits the width of the terminal`(columns: Int?, width: Int) {
    let terminal = Terminal(
      isTerminal: columns != nil, columns: columns, environment: ["NO_COLOR": "1"])
    for command in [[]] + SluiceCommand.commands.map({ [$0.name] }) {
      let lines = Run(command + ["--help"], output: terminal).output.split(separator: "\n")
      #expect(lines.filter { $0.count > width }.isEmpty)
      #expect(lines.contains { $0.count > width - 12 })
    }
    let help = Run(["--help"], output: terminal)
    let columns = ["COLUMNS": "\(width)"]
    for other in [
      Terminal(environment: columns),
      Terminal(isTerminal: false, columns: 70, environment: columns),
    ] { #expect(Run(["--help"], output: other) == help) }
    #expect(Terminal(isTerminal: true, columns: 70, environment: columns).width == width)
  }

  @Test func `the --version option prints the versions of Sluice and SQLite`() {
    let run = Run("--version")
    #expect(run.code == .success)
    #expect(
      run.output.wholeMatch(of: /sluice [0-9]+\.[0-9]+\.[0-9]+(-dev)?\nSQLite 3\.[0-9.]+\n/) != nil)
  }

  @Test(arguments: [
    (["scheme", "a.db"], "There is no command scheme; did you mean schema?"),
    (["nonsense"], "There is no command nonsense"),
    (["Doctro"], "There is no command Doctro; did you mean doctor?"),
    (["--halp"], "There is no option --halp"),
    (["help", "migrat"], "There is no command migrat; did you mean migrate?"),
    (["schema"], "DATABASE is missing"),
    (["migrate", "a.db"], "FOLDER is missing"),
    (["schema", "a.db", "b.db"], "\"b.db\" is an unexpected argument"),
    (["schema", "--tabel", "x", "a.db"], "There is no option --tabel; did you mean --table?"),
    (["schema", "-a.db"], "There is no option -a.db; put it after -- to pass it as an argument"),
    (["schema", "a.db", "--table"], "--table needs a value"),
    (
      ["schema", "a.db", "--table", "--json"],
      "--table needs a value; to pass one that begins with a hyphen, write --table=--json"
    ),
    (["schema", "--json=yes", "a.db"], "--json does not take a value"),
    (["schema", "--json", "--json", "a.db"], "--json can be given only once"),
    (
      ["schema", "--json", "--sql", "a.db"],
      "--sql and --json cannot be combined; the JSON contains the SQL"
    ),
    (["migrate", "--up-to", "1", "--up-to", "2", "a", "b"], "--up-to can be given only once"),
    (
      ["migrate", "--up-to", "x", "a", "b"], "--up-to must be an integer of at least 0 (got \"x\")"
    ),
    (["migrate", "--up-to=-1", "a", "b"], "--up-to must be an integer of at least 0 (got \"-1\")"),
    (
      ["migrate", "--up-to", "99999999999999999999", "a", "b"],
      "--up-to must be an integer of at least 0 (got \"99999999999999999999\")"
    ),
    (
      ["migrate", "--user-version", "keep", "a", "b"],
      "--user-version must be kept or ignored (got \"keep\")"
    ),
    (
      ["migrate", "--adopting", "flent", "a", "b"],
      "--adopting must be grdb, fluent or user-version (got \"flent\"); did you mean fluent?"
    ),
    (
      ["import", "--format", "cvs", "a", "b", "c"],
      "--format must be csv, tsv, jsonl or json (got \"cvs\"); did you mean csv?"
    ),
    (
      ["import", "--encoding", "windows1252", "a", "b", "c.csv"],
      "--encoding must be utf-8 or windows-1252 (got \"windows1252\"); did you mean windows-1252?"
    ),
    (
      ["import", "--type", "a=txt", "a", "b", "c.csv"],
      "--type must be NAME=TYPE, with the type integer, real, text or blob (got \"a=txt\"); did you mean text?"
    ),
    (
      ["schema", "--format", "mermaids", "a.db"],
      "--format must be svg, mermaid or dot (got \"mermaids\"); did you mean mermaid?"
    ),
    (
      ["completions", "fsh"], "There is no script for the shell fsh; did you mean fish?"
    ),
    (["new", "a/b"], "NAME must be the name of a file, without a folder (got \"a/b\")"),
    (["new", "a\nb"], "NAME must be the name of a file, without a folder (got \"a\\nb\")"),
    (["new", ".hidden"], "NAME must be the name of a file, without a folder (got \".hidden\")"),
    (["new", ""], "NAME must be the name of a file, without a folder (got \"\")"),
    (["new", "a.sql"], "NAME must not end with .sql, which is added (got \"a.sql\")"),
    (["new", "--query", "a b"], "\"a b\" cannot be the name of a function in Swift"),
    (["new", "--query", "a: many"], "\"a: many\" cannot be the name of a function in Swift"),
    (["new", "--query", "query"], "connections or queues already have a member named query"),
    (["explain", "a.db"], "SQL is missing"),
    (["explain", "a.db", "SELECT 1", "--file", "q.sql"], "Pass either SQL or --file, not both"),
    (["doctor", "--require", "fts6"], "There is no capability fts6; did you mean fts4?"),
    (["doctor", "--require="], "There is no capability "),
  ]) func `invalid arguments return the usage status and print an error and a hint`(
    arguments: [String], message: String
  ) {
    let run = Run(arguments)
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    let lines = run.messages.split(separator: "\n")
    #expect(lines.first == "sluice: error: \(message)")
    #expect(lines.dropFirst().first?.hasPrefix("Try: sluice ") == true)
    #expect(lines.count == 2)
  }

  @Test func `a word after two hyphens is an argument even if it looks like an option`() throws {
    let run = Run("schema", "--", "--json")
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: --json does not exist\n")
    #expect(Run("schema", "--", "a", "--help").messages.contains("unexpected argument"))
  }

  @Test func `messages escape terminal control characters`() {
    let run = Run("schema", "a\u{1B}[2Jb\u{9B}\u{7}")
    #expect(run.messages == "sluice: error: a\\u{1b}[2Jb\\u{9b}\\u{7} does not exist\n")
  }
}
