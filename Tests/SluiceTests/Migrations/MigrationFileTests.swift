import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `migrations from files` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func write(_ sql: String, _ name: String) throws {
    try Data(sql.utf8).write(to: folder.url.appending(path: name))
  }

  @Test func `migration files run in the order of their numbers`() throws {
    for number in 1...11 {
      try write(
        "CREATE TABLE t\(number)(a); SELECT * FROM t\(max(number - 1, 1))", "\(number)_t.sql")
    }
    let db = try Connection()
    let report = try Migrator(folder: folder.url).migrate(db)
    #expect(report.applied.map(\.number) == Array(1...11))
    #expect(try db.schema.count == 12)
  }

  @Test func `migration file names can separate the number and the name in any usual way`() throws {
    try write("SELECT 1", "0001_create person.sql")
    try write("SELECT 1", "2 add age.sql")
    try write("SELECT 1", "003-é.SQL")
    try write("SELECT 1", "4.sql")
    try write("SELECT 1", "5. dots.and spaces.sql")
    let migrations = try Migration.files(in: folder.url)
    #expect(migrations.map(\.number) == [1, 2, 3, 4, 5])
    #expect(migrations.map(\.name) == ["create person", "add age", "é", "", "dots.and spaces"])
  }

  @Test func `files in the folder that are not migrations are ignored`() throws {
    try write("SELECT 1", "1.sql")
    try write("garbage", "README.md")
    try write("garbage", "2")
    try write("garbage", ".2_hidden.sql")
    try write("garbage", "2_create.sql~")
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "2_folder.sql"), withIntermediateDirectories: true)
    #expect(try Migration.files(in: folder.url).map(\.number) == [1])
  }

  @Test(arguments: ["create.sql", "-1_create.sql", "_1.sql", "99999999999999999999.sql", "٣.sql"])
  func `a migration file without a number throws`(_ name: String) throws {
    try write("SELECT 1", name)
    let error = failure { try Migrator(folder: folder.url) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains(name) == true)
  }

  @Test func `migration files whose numbers have gaps or duplicates throw`() throws {
    try write("SELECT 1", "1_a.sql")
    try write("SELECT 1", "3_c.sql")
    #expect(failure { try Migrator(folder: folder.url) }?.code == .misuse)
    try write("SELECT 1", "2_b.sql")
    #expect(try Migrator(folder: folder.url).migrations.count == 3)
    try write("SELECT 1", "02_b.sql")
    #expect(
      failure { try Migrator(folder: folder.url) }?.message == "Two migrations have the number 2")
  }

  @Test func `a migration file with invalid text, no statement or transaction control throws`()
    throws
  {
    try write("", "1_empty.sql")
    #expect(
      failure { try Migrator(folder: folder.url) }?.message
        == "Migration 1 \"empty\": 1_empty.sql contains no statement")
    try Data([0x53, 0xff]).write(to: folder.url.appending(path: "1_empty.sql"))
    #expect(failure { try Migrator(folder: folder.url) }?.message == "1_empty.sql is not UTF-8")
    try write("SELECT '\0'", "1_empty.sql")
    #expect(failure { try Migrator(folder: folder.url) }?.code == .misuse)
    try write("SELECT 1;\n\nCOMMIT", "1_empty.sql")
    let error = failure { try Migrator(folder: folder.url) }
    #expect(error?.message.contains("1_empty.sql begins or ends a transaction in line 3") == true)
  }

  @Test func `a byte order mark in a migration file is ignored`() throws {
    let sql = "CREATE TABLE a(x)"
    try write("\u{feff}" + sql, "1_a.sql")
    let migration = try Migration(file: folder.url.appending(path: "1_a.sql"))
    #expect(migration.checksum == Migration(1, sql: sql).checksum)
    let db = try Connection()
    try Migrator([migration]).migrate(db)
    #expect(try db.schema == ["a", "sluice_migration"])
  }

  @Test func `loading migrations from a missing folder throws`() {
    #expect(throws: (any Error).self) {
      try Migrator(folder: folder.url.appending(path: "nowhere"))
    }
  }

  @Test func `the error of a failing migration file names the file, line and column`() throws {
    try write("CREATE TABLE a(x);\r\n\r\nINSERT INTO b VALUES (1)", "1_a.sql")
    let db = try Connection()
    let error = failure { try Migrator(folder: folder.url).migrate(db) }
    #expect(error?.message == "Migration 1 \"a\": 1_a.sql:3:1: no such table: b")
    #expect(try db.schema.isEmpty)
  }

  @Test func `migrations in files and in Swift can be combined`() throws {
    try write("CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)", "1_create.sql")
    let migrator = try Migrator(
      Migration.files(in: folder.url, foreignKeys: .enforced) + [People.insert, People.trim])
    #expect(migrator.migrations.map(\.foreignKeys) == [.enforced, .checked, .checked])
    let db = try Connection()
    #expect(try migrator.migrate(db).version == 3)
  }
}

@Suite(.tags(.migrations)) struct `migration checksums` {
  private func checksum(_ sql: String) -> String? { Migration(1, sql: sql).checksum }

  @Test func `a migration's checksum is the FNV-1a hash of its SQL or fingerprint`() {
    #expect(checksum("") == "cbf29ce484222325")
    #expect(checksum("a") == "af63dc4c8601ec8c")
    #expect(checksum("foobar") == "85944171f73967e8")
    #expect(Migration(1, fingerprint: "foobar") { _ in }.checksum == "85944171f73967e8")
    #expect(Migration(1) { _ in }.checksum == nil)
  }

  @Test func `a migration's checksum ignores only the kind of line endings`() {
    #expect(checksum("a\r\nb\r\n") == checksum("a\nb\n"))
    let texts = [
      "a b", "a  b", "a\nb", "a\rb", "a\n\rb", "A b", "a b ", "a b--", "a\r\r\nb", "\r", "",
    ]
    #expect(Set(texts.map(checksum)).count == texts.count)
    #expect(checksum("\u{e9}") != checksum("e\u{301}"))
  }

  @Test func `a migration's checksum always has 16 digits`() {
    #expect((0..<1000).allSatisfy { checksum("\($0)")?.utf8.count == 16 })
  }
}
