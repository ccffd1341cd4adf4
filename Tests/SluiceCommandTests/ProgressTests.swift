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
}
