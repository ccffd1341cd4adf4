import SluiceCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// Workload 13: a process with an almost empty database, which runs until the end of its input.
var configuration = Configuration()
configuration.threadingMode = .multiThread
let connection = try Connection(configuration: configuration)
try connection.execute(sql: "CREATE TABLE person(name TEXT)")
try connection.execute(sql: "INSERT INTO person VALUES (?)", parameters: "Ada")
let name = try connection.first(.column(.string), sql: "SELECT name FROM person")
print(name == "Ada" ? "ready" : "wrong")
fflush(nil)
_ = readLine()
try connection.close()
