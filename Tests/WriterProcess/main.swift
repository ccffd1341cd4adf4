// Writes to the database that its first argument names, together with other processes. Tests run it.
//
// "increment N" adds one to the counter N times, each time in a transaction that reads before it writes. "lock"
// prints whether the process acquires all locks immediately. "stamp" writes the time, in nanoseconds, into the table
// t for each line that the process reads. With the last argument "shim", the process uses a file system in Swift.

import Foundation
import Sluice

let (file, command) = (CommandLine.arguments[1], CommandLine.arguments[2])
var configuration = Configuration()
configuration.busyTimeout = .zero
configuration.journalMode = .wal
if CommandLine.arguments.last == "shim" {
  /// Forwards to the standard file system, so that every call goes through Swift.
  struct Shim: VirtualFileSystemShim {
    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      File(base: try base.open(request))
    }
    struct File: VirtualFileShim { let base: any VirtualFile }
  }
  try SQLiteLibrary.addFileSystem("shim", Shim())
  configuration.fileSystem = "shim"
}

switch command {
case "increment":
  // Another process may be opening the database.
  var opened: ConnectionPool?
  while opened == nil {
    do { opened = try ConnectionPool(path: file, configuration: configuration) } catch SQLiteError
      .busy
    {}
  }
  guard let pool = opened else { fatalError() }
  FileHandle.standardOutput.write(Data("ready\n".utf8))
  _ = readLine()
  for _ in 0..<(Int(CommandLine.arguments[3]) ?? 0) {
    try await pool.write(retries: .max, deadline: .now + .seconds(600)) { connection in
      let value = try connection.first(.column(.int), sql: "SELECT value FROM counter") ?? 0
      try connection.execute("UPDATE counter SET value = \(value + 1)")
    }
  }
  print("done")
case "stamp":
  let connection = try Connection(path: file, create: false, configuration: configuration)
  FileHandle.standardOutput.write(Data("ready\n".utf8))
  while readLine() != nil {
    try connection.execute("INSERT INTO t VALUES (\(DispatchTime.now().uptimeNanoseconds))")
  }
default:
  let connection = try Connection(path: file, create: false, configuration: configuration)
  do {
    try connection.execute(sql: "BEGIN EXCLUSIVE; UPDATE counter SET value = value; COMMIT")
    print(try connection.checkpoint(.truncate).isBusy ? "busy" : "free")
  } catch SQLiteError.busy {
    print("busy")
  }
}
