import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `colors of the sluice program` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder.migrated()
    try project.write("id;name\n1;x\n", "@/semicolon.csv")
  }

  private static let colored = Terminal(isTerminal: true)
  private static let plain = Terminal()

  private func run(_ arguments: [String], output: Bool, messages: Bool) -> Run {
    Run(
      arguments.map(project.full), output: output ? Self.colored : Self.plain,
      messages: messages ? Self.colored : Self.plain
    ).replacing(project.full("@"), "@")
  }

  @Test func `errors, warnings, notes and carets have colors on a terminal`() throws {
    #expect(
      run(["explain", "@/app.db", "SELECT nme FROM city"], output: false, messages: true).messages
        == """
        sluice: \u{1b}[1;31merror:\u{1b}[0m no such column: nme; did you mean name?
        SELECT nme FROM city
               \u{1b}[32m^\u{1b}[0m

        """)
    try project.write("-- @query all\n-- @warn scans\nSELECT name FROM city;", "@/Queries/a.sql")
    let check = run(["check", "@"], output: false, messages: true)
    #expect(check.messages.contains("a.sql:1:11: \u{1b}[1;35mwarning:\u{1b}[0m full table scan"))
    #expect(!check.output.contains("\u{1b}"))
    let note = run(["import", "@/app.db", "new", "@/semicolon.csv"], output: true, messages: true)
    #expect(note.messages.hasPrefix("sluice: \u{1b}[36mnote:\u{1b}[0m @/semicolon.csv has one"))
    #expect(!note.output.contains("\u{1b}"))
    let usage = run(["schema"], output: true, messages: true)
    #expect(
      usage.messages == """
        sluice: \u{1b}[1;31merror:\u{1b}[0m DATABASE is missing
        Try: sluice schema --help

        """)
  }

  @Test func `full scans and the headings of the help have colors on a terminal`() {
    let explain = ["explain", "@/app.db", "SELECT * FROM city"]
    #expect(
      run(explain, output: true, messages: false).output
        == "`--SCAN city   \u{1b}[33m<-- full scan\u{1b}[0m\n")
    #expect(run(explain, output: false, messages: true).output == "`--SCAN city   <-- full scan\n")
    let help = run(["doctor", "--help"], output: true, messages: false).output
    for heading in ["Usage:", "Arguments:", "Options:"] {
      #expect(help.contains("\n\u{1b}[1m\(heading)\u{1b}[0m"))
    }
    #expect(help.count { $0 == "\u{1b}" } == 6)
    #expect(help.replacing(#/\u{1b}\[[01]m/#, with: "") == Run("doctor", "--help").output)
  }

  @Test func `results that programs read have no colors`() throws {
    try project.execute("INSERT INTO city VALUES (1, 'Rome')")
    for arguments in [
      ["explain", "--json", "@/app.db", "SELECT * FROM city"], ["schema", "@/app.db"],
      ["schema", "--sql", "@/app.db"], ["schema", "--format=svg", "@/app.db"],
      ["schema", "--json", "@/app.db"], ["export", "@/app.db", "city"], ["dump", "@/app.db"],
      ["diff", "@/app.db", "@/app.db"], ["status", "@/app.db", "@/Migrations"],
      ["doctor", "--json", "@/app.db"], ["completions", "bash"], ["manual"],
    ] {
      let colored = run(arguments, output: true, messages: true)
      #expect(!colored.output.contains("\u{1b}") && colored.code == .success)
      #expect(colored.output == run(arguments, output: false, messages: false).output)
    }
  }

  @Test(
    arguments: [
      (true, [:], true), (false, [:], false),
      (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
      (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
      (false, ["FORCE_COLOR": "1"], true), (false, ["FORCE_COLOR": "0"], false),
      (false, ["FORCE_COLOR": ""], false), (true, ["FORCE_COLOR": "0"], true),
      (false, ["FORCE_COLOR": "1", "NO_COLOR": "1"], true),
      (true, ["FORCE_COLOR": "1", "TERM": "dumb"], true),
      (true, ["FORCE_COLOR": "0", "NO_COLOR": "1"], false),
    ] as [(Bool, [String: String], Bool)])
  func `the environment turns colors on and off`(
    isTerminal: Bool, environment: [String: String], isColored: Bool
  ) {
    let terminal = Terminal(isTerminal: isTerminal, environment: environment)
    #expect(terminal.isColored == isColored)
  }

  @Test func `the process reads the environment`() throws {
    let colored = try Program.run("sluice", ["schema"], environment: ["FORCE_COLOR": "1"])
    #expect(colored.output.hasPrefix("sluice: \u{1b}[1;31merror:\u{1b}[0m "))
    let plain = try Program.run("sluice", ["schema"], environment: ["FORCE_COLOR": ""])
    #expect(plain.output.hasPrefix("sluice: error: "))
    let narrow = try Program.run("sluice", ["--help"], environment: ["COLUMNS": "60"])
    #expect(
      narrow.output == Run(["--help"], output: Terminal(environment: ["COLUMNS": "60"])).output)
    #expect(narrow.output.split(separator: "\n").allSatisfy { $0.count <= 60 })
  }
}
