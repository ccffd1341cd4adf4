import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice doctor` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder() }

  private struct Report: Decodable {
    struct SQLite: Decodable {
      let version: String
      let versionNumber: Int
      let sourceID: String
      let compileOptions: [String]
      let capabilities: [String: Bool]
      let defects: [[String: String]]
    }

    let sqlite: SQLite
    let lacking: [String]
  }

  @Test func `doctor reports the linked SQLite library`() throws {
    let run = project.run("doctor", "--json")
    #expect(run.code == .success)
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report.sqlite.version == SQLiteLibrary.version)
    #expect(report.sqlite.versionNumber == SQLiteLibrary.versionNumber)
    #expect(report.sqlite.sourceID == SQLiteLibrary.sourceID)
    #expect(report.sqlite.compileOptions == SQLiteLibrary.compileOptions)
    #expect(report.sqlite.capabilities.count == SQLiteCapability.allCases.count)
    #expect(report.sqlite.capabilities["fts5"] == SQLiteLibrary.has(.fts5))
    #expect(report.sqlite.defects.map { $0["name"] } == SQLiteLibrary.knownDefects.map(\.name))
    #expect(report.lacking.isEmpty)

    let text = project.run("doctor").output
    #expect(text.hasPrefix("SQLite \(SQLiteLibrary.version)\n  source "))
    for defect in SQLiteLibrary.knownDefects { #expect(text.contains("\(defect.name): ")) }
  }

  /// Expects that the report about the database ends with `text`.
  private func expectReport(
    _ code: ExitCode, endsWith text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let run = project.run("doctor", "@/app.db")
    #expect(run.code == code, sourceLocation: sourceLocation)
    #expect(run.output.hasSuffix(text), sourceLocation: sourceLocation)
  }

  @Test func `doctor reports the properties of an intact file`() throws {
    try project.execute(
      "PRAGMA page_size = 1024; PRAGMA auto_vacuum = 0; CREATE TABLE t(a); PRAGMA user_version = 7; PRAGMA application_id = 9"
    )
    expectReport(
      .success,
      endsWith: """

        @/app.db
          size            2048 bytes: 2 pages of 1024, of which 0 are free
          encoding        utf8
          journal         delete
          user version    7
          application ID  9
          integrity       ok
          foreign keys    ok

        """)
    #expect(
      project.run("doctor", "--json", "--quick", "@/app.db").output.hasPrefix(
        """
        {"database":{"applicationID":9,"encoding":"utf8","foreignKeys":[],"freePages":0,"integrity":[],\
        "journalMode":"delete","missingTables":[],"pageSize":1024,"pages":2,"path":"@/app.db","size":2048,"userVersion":7},\
        "lacking":[],"sqlite":{
        """))
  }

  @Test func `doctor reports foreign key violations`() throws {
    let connection = try Connection(
      path: project.full("@/app.db"), configuration: .sqliteDefaults)
    try connection.execute(
      sql:
        "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a REFERENCES a); INSERT INTO b VALUES (5)"
    )
    try connection.close()
    expectReport(.found, endsWith: "  foreign key   row 1 of b refers to a missing row of a\n")
    let json = project.run("doctor", "--json", "@/app.db")
    #expect(json.code == .found)
    #expect(json.output.contains(#""foreignKeys":[{"referencedTable":"a","rowid":1,"table":"b"}]"#))
  }

  @Test func `doctor reports foreign keys that refer to a missing table`() throws {
    try project.execute(
      "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p_old, q REFERENCES C); CREATE TABLE d(q REFERENCES c)"
    )
    expectReport(
      .found, endsWith: "  foreign key   c refers to the table p_old, which does not exist\n")
    let json = project.run("doctor", "--json", "@/app.db")
    #expect(json.output.contains(#""missingTables":[{"referencedTable":"p_old","table":"c"}]"#))
  }

  @Test func `doctor reports damage`() throws {
    try project.execute(
      "PRAGMA page_size = 512; CREATE TABLE t(a UNIQUE); INSERT INTO t SELECT hex(randomblob(40)) FROM (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9))"
    )
    let path = project.full("@/app.db")
    var bytes = try #require(FileManager.default.contents(atPath: path))
    for index in 1024..<bytes.count where index % 3 == 0 { bytes[index] = 0x5A }
    try bytes.write(to: URL(filePath: path))
    for option in ["--quick", "--json"] {
      let run = project.run("doctor", option, "@/app.db")
      #expect(run.code == .found)
      #expect(run.output.contains(option == "--json" ? #""integrity":[""# : "\n  damage "))
      #expect(!run.output.contains("foreign keys"))
    }
  }

  @Test func `doctor reports required capabilities that are missing`() throws {
    #expect(
      project.run("doctor", "--require", "json", "--require", "errorOffset").code == .success)
    let lacking = try #require(SQLiteCapability.allCases.first { !SQLiteLibrary.has($0) })
    let run = project.run("doctor", "--require", "\(lacking)", "--require", "json")
    #expect(run.code == .found)
    #expect(run.output.contains("\nrequired but missing: \(lacking)\n"))
    #expect(
      project.run("doctor", "--json", "--require", "\(lacking)").output.contains(
        #""lacking":["\#(lacking)"]"#))
  }

  @Test func `doctor counts only committed WAL frames`() throws {
    let writer = try Connection(path: project.full("@/live.db"))
    try writer.execute(
      sql: "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let committed = try #require(project.bytes["live.db-wal"]).count
    try writer.execute(sql: "PRAGMA cache_spill = 1; PRAGMA cache_size = 1")
    try writer.transaction { connection, command in
      try connection.execute(
        sql: "INSERT INTO t SELECT zeroblob(3000) FROM (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9))"
      )
      try project.copy("live", as: "left", ["", "-wal"])
      command = .rollback
    }
    let size = try #require(project.bytes["left.db-wal"]).count
    #expect(size > committed)
    #expect(
      project.run("doctor", "@/left.db").output.contains(
        "\n  WAL           \(size) bytes: 3 frames\n"))
  }

  @Test(arguments: [1, 3])
  func `doctor ignores the checkpoint state in an outdated WAL index`(_ commits: Int) throws {
    let writer = try Connection(path: project.full("@/live.db"))
    try writer.execute(
      sql: "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try writer.checkpoint()
    for name in ["now", "later"] { try project.copy("live", as: name, ["", "-wal", "-shm"]) }
    #expect(
      project.run("doctor", "@/now.db").output.contains(
        " bytes: 3 frames, of which 3 are in the database file\n"))
    // All frames are in the database file, so the WAL restarts.
    for _ in 0..<commits { try writer.execute(sql: "INSERT INTO t VALUES (2)") }
    try project.copy("live", as: "later", ["", "-wal"])
    #expect(project.run("doctor", "@/later.db").output.contains(" bytes: \(commits) frames\n"))
  }
}
