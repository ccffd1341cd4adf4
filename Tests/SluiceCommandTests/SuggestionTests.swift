import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `names and options in messages` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder.migrated()
    try project.write("id,name\n1,Rome\n", "@/city.csv")
  }

  @Test(arguments: [
    (["schema", "--table=citi", "@/app.db"], "There is no table or view citi; did you mean city?"),
    (["export", "@/app.db", "persn"], "There is no table or view persn; did you mean person?"),
    (
      ["import", "--key=nme", "@/app.db", "city", "@/city.csv"],
      "@/city.csv: The table \"main\".\"city\" has no key column \"nme\"; did you mean name?"
    ),
    (
      ["import", "--column=id", "--column=nam", "@/app.db", "city", "@/city.csv"],
      "@/city.csv: The table \"main\".\"city\" has no column \"nam\"; add it, or pass --ignore-unknown; did you mean name?"
    ),
    (
      ["import", "--key=idd", "@/app.db", "new", "@/city.csv"],
      "@/city.csv: The data has no column \"idd\"; did you mean id?"
    ),
    (
      ["import", "--type=nme=text", "@/app.db", "new", "@/city.csv"],
      "@/city.csv: The data has no column \"nme\"; did you mean name?"
    ),
    (
      ["import", "--key=other", "@/app.db", "new", "@/city.csv"],
      "@/city.csv: The data has no column \"other\""
    ),
  ]) func `a misspelt name is answered with a similar one`(arguments: [String], message: String) {
    let run = project.run(arguments)
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: \(message)\n")
  }

  @Test func `an import into a new table names an existing one with a similar name`() throws {
    let run = project.run("import", "@/app.db", "cities", "@/city.csv")
    #expect(run.code == .success)
    #expect(run.messages == "")
    #expect(
      project.run("import", "@/app.db", "citys", "@/city.csv").messages
        == "sluice: note: citys is a new table; did you mean city?\n")
    #expect(project.run("import", "@/app.db", "citys", "@/city.csv").messages == "")
  }

  /// Each message of the library that names an argument or a property of Swift.
  @Test func `messages of the library name the options of the command`() throws {
    try project.write("a,a\n1,2\n", "@/twice.csv")
    try project.write("id,name\n1,\u{e9}\n", "@/latin.csv")
    try Data("id,name\n1,".utf8 + [0xe9]).write(to: URL(filePath: project.full("@/latin.csv")))
    try project.execute("CREATE TABLE raw(a BLOB)")
    try project.write("a\n!!\n", "@/raw.csv")
    try project.execute("DROP TABLE sluice_migration")
    try FileManager.default.removeItem(atPath: project.full("@/Migrations"))
    try project.write("SELECT 1", "@/Migrations/0001-0002_both.sql")
    for (arguments, message) in [
      (
        ["import", "--key=id", "--type=id=text", "@/app.db", "city", "@/city.csv"],
        "sluice: error: @/city.csv: The table \"city\" exists, so --type does not apply"
      ),
      (
        ["import", "@/app.db", "new", "@/twice.csv"],
        "sluice: error: @/twice.csv: Two columns are named \"a\"; pass --column for each column"
      ),
      (
        ["import", "@/app.db", "city", "@/latin.csv"],
        "@/latin.csv:2: error: Field 2 is not UTF-8; if it is Windows-1252, pass --encoding windows-1252"
      ),
      (
        ["import", "@/app.db", "raw", "@/raw.csv"],
        "@/raw.csv:2: error: The value for the BLOB column \"a\" is not Base64; if it is hexadecimal, pass --hex"
      ),
      (
        ["import", "--column=x", "@/app.db", "city", "@/twice.csv"],
        "sluice: error: @/twice.csv: The header has 2 columns, but 1 name is given"
      ),
      (
        ["migrate", "@/app.db", "@/Migrations"],
        "sluice: error: The database has the user_version 2, but no migration record: pass --adopting "
          + "user-version if the number counts them, and --user-version ignored if it has another purpose"
      ),
      (
        ["migrate", "--create", "--up-to=1", "@/new.db", "@/Migrations"],
        "sluice: error: There is no migration 1, because 2 \"both\" merges it: pass --up-to 2"
      ),
    ] {
      #expect(project.run(arguments).messages == message + "\n")
    }
  }

  @Test func `a schema that calls an unsafe function is refused without the names of Swift`() throws
  {
    let connection = try Connection(
      path: project.full("@/app.db"), configuration: .sqliteDefaults)
    try connection.execute(sql: "CREATE VIEW v AS SELECT load_extension('x') AS a")
    try connection.close()
    let run = project.run("export", "@/app.db", "v")
    #expect(run.code == .failure)
    #expect(
      run.messages.hasPrefix("sluice: error: unsafe use of load_extension()"), "\(run.messages)")
    #expect(!run.messages.contains("Configuration"))
  }

  @Test func `a file that appears during an export is not replaced`() throws {
    let path = project.full("@/out.csv")
    var messages = Data()
    let console = Console(
      output: { _ in }, messages: { messages += $0 }, input: { Data() },
      // The clock is looked at after the arguments were checked.
      now: {
        try? Data("other".utf8).write(to: URL(filePath: path))
        return .now
      })
    let code = SluiceCommand.run(["export", project.full("@/app.db"), "city", path], console)
    #expect(code == .failure)
    #expect(
      String(decoding: messages, as: UTF8.self)
        == "sluice: error: \(path) exists; pass --overwrite to replace it\n")
    #expect(try project.bytes["out.csv"] == Data("other".utf8))
  }
}
