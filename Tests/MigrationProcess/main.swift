// Migrates the database at the path in the first argument, as soon as the process reads a line. The second
// argument is the name of the process in the log. Tests run several instances at once.

import Foundation
import Sluice

let (file, name) = (CommandLine.arguments[1], CommandLine.arguments[2])
var configuration = Configuration()
configuration.busyTimeout = .seconds(120)
let migrator = try Migrator(
  (1...30).map { number in
    Migration(number, "add t\(number)") { connection in
      try connection.execute("CREATE TABLE \(identifier: "t\(number)")(a)")
      try connection.execute("INSERT INTO log VALUES (\(number), \(name))")
    }
  })
let connection = try Connection(path: file, create: false, configuration: configuration)
FileHandle.standardOutput.write(Data("ready\n".utf8))
_ = readLine()
let report = try migrator.migrate(connection)
print(report.applied.count, report.version)
