import Foundation
import Sluice
import TestSupport
import Testing

/// Runs with a library that supports encryption: see Tests/OtherSQLite.
@Suite(.tags(.migrations), .enabled(if: SQLiteLibrary.has(.encryption)))
struct `dry runs of encrypted databases` {
  private let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private static let secret = "a sentence that nobody is to read"

  /// Returns a migrator whose second step reads the file that it migrates.
  private func migrator(_ seen: @escaping @Sendable (Data) -> Void) throws -> Migrator {
    try Migrator([
      Migration(1, sql: "CREATE TABLE note(text); INSERT INTO note VALUES ('\(Self.secret)')"),
      Migration(2) { connection in
        #expect(try connection.column("SELECT text FROM note") == [.text(Self.secret)])
        try connection.execute(sql: "ALTER TABLE note ADD COLUMN more")
        let path = try #require(
          try connection.first(.column(.string), "SELECT file FROM pragma_database_list"))
        seen(try Data(contentsOf: URL(filePath: path)))
      },
    ])
  }

  private func check(_ db: Connection) throws {
    let migrator = try migrator { bytes in
      #expect(!bytes.isEmpty)
      #expect(!bytes.starts(with: Data("SQLite format 3".utf8)))
      #expect(bytes.range(of: Data(Self.secret.utf8)) == nil)
    }
    if try migrator.applied(on: db).isEmpty { try migrator.migrate(db, upTo: 1) }
    let dryRun = try migrator.dryRun(on: db)
    #expect(dryRun.steps.map(\.number) == [2])
    #expect(dryRun.schema.map(\.name) == ["note"])
    #expect(try migrator.drift(on: db).isEmpty)
    #expect(try db.column("SELECT text FROM note") == [.text(Self.secret)])
  }

  @Test
  func `the copy for a dry run is encrypted like the database, with a passphrase or a raw key`()
    throws
  {
    let keys = try [
      EncryptionKey(passphrase: "secret"), EncryptionKey(rawKey: Array(1...32)),
      EncryptionKey(rawKey: Array(1...48)),
    ]
    for (index, key) in keys.enumerated() {
      var configuration = Configuration()
      configuration.encryptionKey = key
      let file = folder.url.appending(path: "\(index).db")
      try check(Connection(url: file, configuration: configuration))
      try check(Connection(url: file, readOnly: true, configuration: configuration))
    }
  }

  @Test func `the copy for a dry run is encrypted even after the key was changed`() throws {
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(passphrase: "old")
    let file = folder.url.appending(path: "a.db")
    let db = try Connection(url: file, configuration: configuration)
    try check(db)
    try db.changeEncryptionKey(to: EncryptionKey(passphrase: "new"))
    try check(db)
  }
}
