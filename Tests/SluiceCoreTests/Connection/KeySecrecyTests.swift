import SluiceCore
import Synchronization
import TestSupport
import Testing

/// Requires an SQLite library that supports encryption: see Tests/OtherSQLite.
@Suite(.enabled(if: SQLiteLibrary.has(.encryption)))
struct `the secrecy of encryption keys` {
  private final class Log: ConnectionMonitor {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func statementDidEnd(_ statement: StatementRecord) { add(statement.sql) }
  }

  private static let secrets = ["correct horse", "battery staple"]

  private func isSecret(_ text: String) -> Bool {
    let lower = text.lowercased()
    return !Self.secrets.contains { secret in
      let hex = secret.utf8.map { String($0, radix: 16) }.joined()
      return lower.contains(secret) || lower.contains(hex)
    }
  }

  @Test func `monitors, traces and errors do not reveal keys`() throws {
    let folder = try TestFolder()
    let log = Log()
    var configuration = Configuration()
    configuration.monitor = log
    configuration.encryptionKey = try EncryptionKey(
      passphrase: Self.secrets[0], settings: CipherSettings(compatibility: 3))
    configuration.prepareConnection { db in
      try db.trace([.statement, .profile, .row]) { event in
        log.add("\(event.sql ?? "") \(event.expandedSQL ?? "")")
      }
    }
    let db = try Connection(path: folder.file(), configuration: configuration)
    try db.execute(sql: "CREATE TABLE t(a)")
    let other = try EncryptionKey(passphrase: Self.secrets[1])
    try db.attach(path: folder.file("a.db"), as: "a", encryptionKey: other)
    try db.execute(sql: "CREATE TABLE a.t(a)")
    try db.attach(path: folder.file("b.db"), as: "b")
    try db.detach("a")
    let before = log.all.count
    let error = failure { try db.attach(path: folder.file("a.db"), as: "a") }
    #expect(error?.code == .notADatabase)
    #expect(error.map { isSecret("\($0) \($0.sql ?? "")") } == true)
    #expect(log.all.dropFirst(before).contains { $0.contains("ATTACH") })
    try db.export(to: folder.file("c.db"), encryptionKey: other)
    try db.backup(to: folder.file("d.db"))
    try db.changeEncryptionKey(to: other)
    #expect(log.all.count > 10)
    for line in log.all { #expect(isSecret(line)) }
    #expect(log.all.contains { $0.contains("sqlcipher_export") })
  }

  @Test func `SQL cannot read the key of an ATTACH afterwards`() throws {
    let folder = try TestFolder()
    let db = try Connection()
    let key = try EncryptionKey(passphrase: Self.secrets[0])
    try db.attach(path: folder.file(), as: "a", encryptionKey: key)
    #expect(try db.value("SELECT sluice_key()") == .blob([]))
    let rows = try db.prepare(sql: "SELECT 1 UNION SELECT 2")
    let isAtRow = try rows.step() != nil
    #expect(isAtRow)
    try db.attach(path: folder.file("b.db"), as: "b", encryptionKey: key)
    #expect(try db.value("SELECT sluice_key()") == .blob([]))
  }
}
