// Migrates the database at the path in the first argument, as soon as the process reads a line. The second
// argument is the name of the process in the log. The third argument `merged` merges the migrations into one, and
// `crash` ends the process in a migration outside a transaction. Tests run several instances at once.

import Foundation
import Sluice

let (file, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
var configuration = Configuration()
configuration.busyTimeout = .seconds(120)
@Sendable func add(_ number: Int, _ connection: Connection) throws {
  try connection.execute("CREATE TABLE \(identifier: "t\(number)")(a)")
  try connection.execute("INSERT INTO log VALUES (\(number), \(name))")
}
let separate = (1...30).map { number in
  Migration(number, "add t\(number)") { connection in try add(number, connection) }
}
let merged = Migration(1...30, "add all", fingerprint: "1") { connection in
  for number in 1...30 { try add(number, connection) }
}
// A real end of the process, after one of two changes.
let crash = Migration(1, "crash", inTransaction: false) { connection in
  try connection.execute("CREATE TABLE half(a)")
  _exit(9)
}
let variant = CommandLine.arguments.dropFirst(3).first
let migrator = try Migrator(
  variant == "merged" ? [merged] : variant == "crash" ? [crash] : separate)
let connection = try Connection(path: file, create: false, configuration: configuration)
FileHandle.standardOutput.write(Data("ready\n".utf8))
_ = readLine()
let report = try migrator.migrate(connection)
print(report.applied.count, report.version)
