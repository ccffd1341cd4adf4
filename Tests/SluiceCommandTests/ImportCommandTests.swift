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

  @Test func `the name of a column in --type can contain an equals sign`() throws {
    let arguments = ["import", "--format=csv", "--type=a=b=text", "@/app.db", "place", "-"]
    #expect(project.run(arguments, input: "a=b\n1\n").code == .success)
    #expect(
      project.run("export", "--format=jsonl", "@/app.db", "place").output == "{\"a=b\":\"1\"}\n")
  }

  @Test func `a refused row stops the import, or is written to a file`() throws {
    try project.write("id,name\n3,x\n3,y\n4\n5,z\n", "@/bad.csv")
    let stopped = project.run("import", "@/app.db", "city", "@/bad.csv")
    #expect(stopped.code == .failure)
    #expect(
      stopped.messages == "@/bad.csv:3: error: UNIQUE constraint failed: city.id\n")
    let input = project.run(
      ["import", "--format=csv", "@/app.db", "city", "-"], input: "id,name\n3,x\n3,y\n")
    #expect(
      input.messages == "<stdin>:3: error: UNIQUE constraint failed: city.id\n")
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
          4,"The row has 1 field, but there are 2 columns",4

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
    (
      ["import", "--key=x", "@/app.db", "city", "@/city.csv"], 3,
      "@/city.csv: The table \"main\".\"city\" has no key column"
    ),
    (["export", "@/none.db", "city"], 3, "@/none.db does not exist"),
    (["export", "@/app.db", "citi"], 3, "There is no table or view citi; did you mean city?"),
    (["export", "@/app.db", "city", "@/city.csv"], 3, "@/city.csv exists; pass --overwrite"),
    (["export", "@/app.db", "city", "@/none/a.csv"], 3, "@/none/a.csv cannot be created"),
    (["export", "@/app.db", "DELETE FROM city"], 3, "The statement returns no rows to export"),
    (
      ["export", "@/app.db", "DELETE FROM city RETURNING *"], 3,
      "The statement writes to the database, but export only reads it"
    ),
    (
      ["import", "--refused=@/city.csv", "@/app.db", "city", "@/city.csv"], 3,
      "@/city.csv exists, and is not replaced"
    ),
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
    #expect(
      run.messages == """
        sluice: error: no such column: nme; did you mean name?
         nme FROM city
         ^

        """)
  }

  @Test(arguments: [
    (
      "id,nme\n1,x\n",
      "sluice: error: @/bad.csv: The table \"main\".\"city\" has no column \"nme\"; "
        + "add it, or pass --ignore-unknown; did you mean name?"
    ),
    ("id,ID\n1,x\n", "sluice: error: @/bad.csv: The column \"ID\" occurs twice"),
    ("id,name\n1\n", "@/bad.csv:2: error: The row has 1 field, but there are 2 columns"),
    (
      "id,name\n1,\u{e9}\n",
      "@/bad.csv:2: error: Field 2 is not UTF-8; if it is Windows-1252, pass --encoding windows-1252"
    ),
  ])
  func `errors in a file name it, and the options that help`(text: String, message: String) throws {
    let data = try #require(text.data(using: .windowsCP1252))
    try data.write(to: URL(filePath: project.full("@/bad.csv")))
    let run = project.run("import", "@/app.db", "city", "@/bad.csv")
    #expect(run.messages == "\(message)\n")
    let new = project.run("import", "@/app.db", "new", "@/bad.csv")
    #expect(!text.contains("ID") || new.messages.hasSuffix("; pass --column for each column\n"))
  }

  @Test func `a file whose only column contains another separator is pointed out`() throws {
    try project.write("id;name\n1;x\n", "@/semicolon.csv")
    let run = project.run("import", "@/app.db", "new", "@/semicolon.csv")
    #expect(run.output == "imported 1 row into new\n")
    #expect(
      run.messages
        == "sluice: note: @/semicolon.csv has one column, named \"id;name\"; if ; separates columns, pass --separator\n"
    )
    let right = project.run("import", "--separator=;", "@/app.db", "right", "@/semicolon.csv")
    #expect(right.messages.isEmpty)
  }

  @Test func `a row whose key is NULL, or another spelling of a key, is refused`() throws {
    try project.write("id,name\n1,a\n,b\n2,c\n02,d\n", "@/keys.csv")
    let run = project.run(
      "import", "--key=id", "--refused=@/refused.csv", "@/app.db", "city", "@/keys.csv")
    #expect(run.code == .found)
    #expect(try cities() == ["1 a", "2 c"])
    let refused = String(decoding: try #require(try project.bytes["refused.csv"]), as: UTF8.self)
    #expect(
      refused.hasPrefix("line,reason,row\n3,\"The key column \"\"id\"\" is NULL\",\",b\"\n5,"))
    let stopped = project.run("import", "--key=id", "@/app.db", "city", "@/keys.csv")
    #expect(
      stopped.messages == "@/keys.csv:3: error: The key column \"id\" is NULL\n")
  }

  @Test func `rows update existing rows, although the file lacks a required column`() throws {
    try project.execute("INSERT INTO city VALUES (1, 'Paris'), (2, 'Rome')")
    try project.execute("ALTER TABLE city ADD size INTEGER NOT NULL DEFAULT 1 CHECK(size > 0)")
    try project.write("id,size\n1,5\n3,6\n2,0\n", "@/sizes.csv")
    let run = project.run(
      "import", "--key=id", "--refused=@/refused.csv", "@/app.db", "city", "@/sizes.csv")
    #expect(run.output == "imported 1 row into city, refused 2\n")
    #expect(
      try project.bytes["refused.csv"]
        == Data(
          """
          line,reason,row
          3,NOT NULL constraint failed: city.name,"3,6"
          4,CHECK constraint failed: size > 0,"2,0"

          """.utf8))
  }

  @Test func `export replaces a file only if --overwrite is given`() throws {
    #expect(project.run("export", "--overwrite", "@/app.db", "city", "@/city.csv").code == .success)
    #expect(try project.bytes["city.csv"] == Data("id,name\n".utf8))
  }

  @Test(.timeLimit(.minutes(10))) func `the program streams standard input and named pipes`() throws
  {
    let script = """
      printf 'a,b\\n1,x\\n' | "$0" import --create --format csv "$1" t - && \
      "$0" export "$1" t | cat
      mkfifo "$1.pipe"
      printf 'a;b\\n1;x\\n' > "$1.pipe" &
      "$0" import --format csv "$1" u "$1.pipe"
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
    #expect(
      String(decoding: output, as: UTF8.self)
        == "imported 1 row into t\na,b\n1,x\nimported 1 row into u\n")
  }
}
