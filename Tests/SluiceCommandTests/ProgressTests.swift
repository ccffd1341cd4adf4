import Foundation
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `the progress of long commands` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder.migrated()
    // The tables are large enough for several calls of a progress handler.
    try project.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      INSERT INTO t(a) SELECT i FROM n;
      CREATE INDEX t_a ON t(a);
      """)
  }

  /// The rows of the table and of its statistics.
  private static let rows = SQLiteVersion.optimizeAnalyzesNewTables ? 50_003 : 50_002

  static let commands: [(arguments: [String], input: String, line: String)] = [
    (["import", "--format=csv", "@/app.db", "t", "-"], "a\n1\n2\n", "import: 0 MB, 2 rows, 0 s"),
    (["import", "@/app.db", "t", "@/t.csv"], "", "] 100%, 2 rows, 0 s"),
    (["export", "@/app.db", "t", "@/out.csv"], "", "export: 0 s"),
    (["dump", "@/app.db", "@/dump.sql"], "", "dump: 0 MB, \(rows) rows, 0 s"),
    (["dump", "@/app.db"], "", "dump: 0 MB, \(rows) rows, 0 s"),
    (
      ["load", "@/new.db", "@/load.sql"], "", "load: [##############################] 100%, 3 rows"
    ),
    (["load", "@/new.db"], "CREATE TABLE a(b); INSERT INTO a VALUES (1);", "load: 0 MB, 1 rows"),
    (["diff", "@/app.db", "@/empty.db"], "", "diff: 0 s"),
    (["diff", "--summary", "@/app.db", "@/empty.db"], "", "diff: 0 s"),
    (["migrate", "--create", "@/new.db", "@/Long"], "", "migrate: 1 of 1, long, 0 s"),
    (["doctor", "@/app.db"], "", "check: 0 s"),
  ]

  @Test(arguments: commands.indices)
  func `a terminal shows progress, and a pipe does not`(index: Int) throws {
    let command = Self.commands[index]
    try project.write("a\n1\n2\n", "@/t.csv")
    try project.write("CREATE TABLE a(b); INSERT INTO a VALUES (1), (2), (3);", "@/load.sql")
    try project.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER)", "@/empty.db")
    try project.write(
      """
      CREATE TABLE u AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
      SELECT i FROM n;
      """, "@/Long/0001_long.sql")
    for isTerminal in [false, true] {
      var messages = Data()
      var output = Data()
      var input = Data(command.input.utf8)
      let console = Console(
        output: { output += $0 }, messages: { messages += $0 }, input: { Data() },
        inputPart: {
          defer { input = Data() }
          return input
        }, progressInterval: isTerminal ? .zero : nil)
      let code = SluiceCommand.run(command.arguments.map(project.full), console)
      // The seconds depend on the machine.
      let text = String(decoding: messages, as: UTF8.self).replacing(/[0-9]+ s/, with: "0 s")
      #expect([.success, .found].contains(code), "\(text)")
      #expect(text.contains(command.line) == isTerminal, "\(text)")
      #expect(text.hasSuffix("\r\u{1b}[K") == isTerminal)
      #expect(!output.contains(0x1b))
      for file in ["out.csv", "dump.sql", "new.db"] {
        try? FileManager.default.removeItem(atPath: project.full("@/\(file)"))
      }
    }
  }

  /// Returns the lines that a load shows, with a clock that advances by `step` at each look.
  private func lines(
    _ arguments: [String], step: Duration, columns: Int = 80
  ) throws -> [String] {
    var messages = Data()
    var time = ContinuousClock.now
    let console = Console(
      output: { _ in }, messages: { messages += $0 }, input: { Data() },
      messageTerminal: Terminal(isTerminal: true, columns: columns), progressInterval: .zero,
      now: {
        time += step
        return time
      })
    #expect(SluiceCommand.run(arguments.map(project.full), console) == .success)
    return String(decoding: messages, as: UTF8.self).split(separator: "\r\u{1b}[K").map(String.init)
  }

  @Test func `a bar shows the remaining time in units that fit, in one line`() throws {
    let row = String(repeating: "x", count: 999)
    try project.write(
      "CREATE TABLE a(b);\n"
        + (0..<500).map { "INSERT INTO a VALUES ('\($0)\(row)');\n" }.joined(),
      "@/long.sql")
    for (step, unit) in [
      (Duration.seconds(1), "s"), (.seconds(100), "min"), (.seconds(9_000), "h"),
    ] {
      let lines = try lines(["load", "@/\(unit).db", "@/long.sql"], step: step)
      #expect(lines.count > 3)
      #expect(lines[0].contains(#/^load: \[#+-+\] [0-9]+%, [0-9]+ rows, [0-9]+ /#))
      #expect(lines[0].hasSuffix(" \(unit) left"), "\(lines[0])")
      #expect(lines.filter { $0.hasSuffix(" left") }.count == lines.count - 1)
      #expect(lines.last?.contains("] 100%, 500 rows, ") == true)
    }
    for columns in [30, 50, 80] {
      let lines = try lines(
        ["load", "@/\(columns).db", "@/long.sql"], step: .seconds(9), columns: columns)
      #expect(lines.allSatisfy { $0.count < columns })
      #expect(lines[0].contains("[") == (columns > 30), "\(lines[0])")
    }
  }

  @Test func `the remaining time falls as the work progresses`() throws {
    let rows = (0..<60_000).map { "\($0),\($0)\n" }.joined()
    try project.write("id,a\n" + rows, "@/rows.csv")
    let lines = try lines(["import", "@/app.db", "t2", "@/rows.csv"], step: .seconds(1))
    let left = lines.compactMap { line in
      line.firstMatch(of: #/, ([0-9]+) s left$/#).flatMap { Int($0.1) }
    }
    #expect(left.count > 5)
    // Each look at the clock takes one second, and each piece has the same size, so that the estimate is exact.
    #expect(zip(left, left.dropFirst()).allSatisfy { $0 >= $1 })
    #expect((0...1).contains(try #require(left.last)))
  }
}
