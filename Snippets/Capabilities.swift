// The capabilities of the linked SQLite, and a fallback for a missing one.

// snippet.hide
import Sluice

let connection = try Connection()
try connection.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
// snippet.show
print("SQLite", SQLiteLibrary.version)
for capability in SQLiteCapability.allCases {
  print("\(capability):", SQLiteLibrary.has(capability) ? "yes" : "no")
}
for defect in SQLiteLibrary.knownDefects {
  print("\(defect.name):", defect.summary)
}

// A call that needs a missing capability throws.
let statement = try connection.prepare(
  sql: "SELECT name FROM person WHERE id = 7 -- Ada")
do {
  print("runs:", try statement.normalizedSQL)
} catch SQLiteError.notFound {
  print("runs something that returns", statement.columnNames)
}

// If the linked SQLite cannot encrypt, this function throws and creates no file.
func open(path: String, passphrase: String) throws -> Connection {
  var configuration = Configuration()
  configuration.encryptionKey = try EncryptionKey(passphrase: passphrase)
  return try Connection(path: path, configuration: configuration)
}

// Exports a SQLCipher 3 file in the linked version's format, and as an unencrypted file.
func convert(path: String, passphrase: String) throws {
  var configuration = Configuration()
  configuration.encryptionKey = try EncryptionKey(
    passphrase: passphrase, settings: CipherSettings(compatibility: 3))
  let old = try Connection(path: path, configuration: configuration)
  try old.export(to: "new.db", encryptionKey: EncryptionKey(passphrase: passphrase))
  try old.export(to: "plain.db", encryptionKey: nil)
}
// snippet.hide

// The rest is for tests that also run this snippet with other SQLite libraries.
func attempt(_ name: String, _ body: () throws -> Any) {
  do { print("\(name):", try body()) } catch { print("\(name) throws:", error) }
}

attempt("origins") { try statement.columnOrigins.map { $0?.column ?? "?" } }
attempt("scan") { try statement.scanStatus }
attempt("reset") { try statement.resetScanStatus() }
attempt("option") {
  try connection.setOption(.defensive, true)
  return try connection.option(.defensive)
}
attempt("key") {
  let connection = try open(path: ":memory:", passphrase: "secret")
  try connection.changeEncryptionKey(to: EncryptionKey(rawKey: Array(0..<32)))
  try connection.attach(path: ":memory:", as: "other")
  return connection.configuration
}
