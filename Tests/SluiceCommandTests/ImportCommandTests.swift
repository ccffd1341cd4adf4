import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice import and export` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder.migrated()
    try project.write("id,name\n1,\"Paris, France\"\n2,Rome\n", "@/city.csv")
  }

  private func cities(_ path: String = "@/app.db") throws -> [String] {
    try Connection(path: project.full(path), readOnly: true).query(
      .column(.string), sql: "SELECT id || ' ' || name FROM city ORDER BY id")
  }

  @Test func `rows are imported and exported again`() throws {
    let run = project.run("import", "@/app.db", "city", "@/city.csv")
    #expect(run.output == "imported 2 rows into city\n")
    #expect(run.messages == "")
    #expect(run.code == .success)
    #expect(try cities() == ["1 Paris, France", "2 Rome"])
    let text = String(decoding: try #require(try project.bytes["city.csv"]), as: UTF8.self)
    #expect(project.run("export", "@/app.db", "city").output == text)
    #expect(
      project.run("export", "--no-header", "@/app.db", "SELECT name FROM city WHERE id = 2").output
        == "Rome\n")
    #expect(project.run("export", "@/app.db", "city", "@/out.jsonl").output == "")
    let copy = project.run("import", "--create", "--json", "@/copy.db", "city", "@/out.jsonl")
    #expect(copy.output == "{\"refused\":0,\"rows\":2}\n")
    #expect(try cities("@/copy.db") == ["1 Paris, France", "2 Rome"])
  }

  @Test(arguments: [false, true])
  func `a database that Litestream replicates keeps its WAL`(isReplicated: Bool) throws {
    let path = project.full("@/kept.db")
    do {
      let connection = try Connection(path: path, configuration: .replicated)
      try connection.execute(sql: "CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT)")
      try connection.close()
    }
    if isReplicated {
      try FileManager.default.createDirectory(
        atPath: project.full("@/.kept.db-litestream"), withIntermediateDirectories: false)
    }
    func sizeOfWAL() -> Int {
      (try? Data(contentsOf: URL(filePath: path + "-wal")).count) ?? 0
    }
    let before = sizeOfWAL()
    #expect(before > 0)
    #expect(project.run("import", "@/kept.db", "city", "@/city.csv").code == .success)
    #expect((sizeOfWAL() > before) == isReplicated)
  }

  @Test func `standard input is imported, with options for the format`() throws {
    let arguments = [
      "import", "--format=csv", "--separator=;", "--no-header", "--column=key", "--column=zip",
      "--null=-", "--key=key", "--type=zip=text", "@/app.db", "place", "-",
    ]
    #expect(project.run(arguments, input: "1;5\n2;-\n1;6").code == .success)
    #expect(
      project.run("export", "--format=json", "@/app.db", "place").output == """
        [
        {"key":1,"zip":"6"},
        {"key":2,"zip":null}
        ]

        """)
    #expect(
      project.run("export", "--format=tsv", "--bom", "--crlf", "@/app.db", "place").output
        == "\u{feff}key\tzip\r\n1\t6\r\n2\t\r\n")
  }

  @Test func `a refused row stops the import, or is written to a file`() throws {
    try project.write("id,name\n3,x\n3,y\n4\n5,z\n", "@/bad.csv")
    let stopped = project.run("import", "@/app.db", "city", "@/bad.csv")
    #expect(stopped.code == .failure)
    #expect(stopped.messages == "sluice: error: Line 3: UNIQUE constraint failed: city.id\n")
    #expect(try cities().isEmpty)
    let run = project.run("import", "--refused=@/refused.csv", "@/app.db", "city", "@/bad.csv")
    #expect(run.code == .found)
    #expect(run.output == "imported 2 rows into city, refused 2\n")
    #expect(try cities() == ["3 x", "5 z"])
    #expect(
      try project.bytes["refused.csv"]
        == Data(
          """
          line,reason,row
          3,UNIQUE constraint failed: city.id,"3,y"
          4,"The row has 1 fields, but there are 2 columns",4

          """.utf8))
  }

  @Test(arguments: [
    (["import", "@/app.db", "city", "@/none.csv"], 3, "@/none.csv does not exist"),
    (["import", "@/none.db", "city", "@/city.csv"], 3, "@/none.db does not exist; pass --create"),
    (["import", "@/app.db", "city", "@/city.txt"], 2, "The extension of FILE is unknown"),
    (["import", "@/app.db", "city", "-"], 2, "The extension of FILE is unknown; pass --format"),
    (["import", "--separator=ab", "@/app.db", "city", "@/city.csv"], 2, "--separator must be"),
    (["import", "--encoding=x", "@/app.db", "city", "@/city.csv"], 2, "--encoding must be"),
    (["import", "--format=x", "@/app.db", "city", "@/city.csv"], 2, "--format must be"),
    (["import", "--type=id", "@/app.db", "city", "@/city.csv"], 2, "--type must be NAME=TYPE"),
    (["import", "--no-header", "@/app.db", "city", "@/c.json"], 2, "--no-header does not apply"),
    (["import", "--key=x", "@/app.db", "city", "@/city.csv"], 3, "The table city has no key"),
    (["export", "@/none.db", "city"], 3, "@/none.db does not exist"),
    (["export", "@/app.db", "citi"], 3, "There is no table or view citi; did you mean city?"),
    (["export", "@/app.db", "city", "@/city.csv"], 3, "@/city.csv exists; pass --overwrite"),
    (["export", "@/app.db", "city", "@/none/a.csv"], 3, "@/none/a.csv cannot be created"),
    (["export", "@/app.db", "DELETE FROM city"], 3, "The statement returns no rows to export"),
  ])
  func `invalid arguments and files are reported`(
    arguments: [String], code: Int32, message: String
  ) throws {
    let before = try project.bytes
    let run = project.run(arguments)
    #expect(run.code.rawValue == code)
    #expect(run.messages.hasPrefix("sluice: error: \(message)"), "\(run.messages)")
    #expect(try project.bytes == before)
  }

  @Test func `an error in SQL has a position`() {
    let run = project.run("export", "@/app.db", "SELECT id,\n nme FROM city")
    #expect(run.messages == "<SQL>:2:2: error: no such column: nme\n")
  }

  @Test func `export replaces a file only if --overwrite is given`() throws {
    #expect(project.run("export", "--overwrite", "@/app.db", "city", "@/city.csv").code == .success)
    #expect(try project.bytes["city.csv"] == Data("id,name\n".utf8))
  }

  @Test func `the program streams standard input`() throws {
    let script = """
      printf 'a,b\\n1,x\\n' | "$0" import --create --format csv "$1" t - && \
      "$0" export "$1" t | cat
      """
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", script, Program.products.appending(path: "sluice").path, project.full("@/s.db"),
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self) == "imported 1 row into t\na,b\n1,x\n")
  }
}
