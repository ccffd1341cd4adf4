// Writes to the database that its first argument names, together with other processes. Tests run it.
//
// "increment N" adds one to the counter N times, each time in a transaction that reads before it writes. "lock"
// prints whether the process acquires all locks immediately. "stamp" writes the time, in nanoseconds, into the table
// t for each line that the process reads. "ledger" writes numbered transactions, and prints the number of each one that
// it has committed, until it is killed. With the last argument "shim", the process uses a file system in Swift.

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
case "ledger":
  // All upkeep runs as often as possible, because none of it may disturb a replicator.
  var upkeep = PoolUpkeep()
  upkeep.checkpointFrames = 1
  upkeep.checkpointInterval = .milliseconds(100)
  upkeep.walLimit = .slowWrites(bytes: 500_000, by: .milliseconds(1))
  upkeep.idleReaderTimeout = .milliseconds(100)
  upkeep.optimizeInterval = .milliseconds(100)
  let pool = try ConnectionPool(path: file, configuration: .replicated, upkeep: upkeep)
  try await pool.write { connection in
    try connection.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS entry(
          number INTEGER, part INTEGER, content TEXT NOT NULL, PRIMARY KEY (number, part)
        ) WITHOUT ROWID
        """)
  }
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<4 {
      group.addTask {
        while true {
          let number = try await pool.write { connection in
            let number =
              try connection.first(.column(.int), sql: "SELECT coalesce(max(number), 0) FROM entry")
              ?? 0
            for part in 1...3 {
              try connection.execute(
                "INSERT INTO entry VALUES (\(number + 1), \(part), hex(zeroblob(100 * \(part))))")
            }
            return number + 1
          }
          FileHandle.standardOutput.write(Data("\(number)\n".utf8))
          try await Task.sleep(for: .milliseconds(2))
        }
      }
    }
    // Each read lasts for a while, and so keeps the WAL from restarting.
    group.addTask {
      while true {
        try await pool.read { connection in
          _ = try connection.first(.column(.int), sql: "SELECT count(*) FROM entry")
          Thread.sleep(forTimeInterval: 0.05)
        }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    // The first error ends the process.
    try await group.next()
  }
default:
  do {
    let connection = try Connection(path: file, create: false, configuration: configuration)
    try connection.execute(sql: "BEGIN EXCLUSIVE; UPDATE counter SET value = value; COMMIT")
    print(try connection.checkpoint(.truncate).isBusy ? "busy" : "free")
  } catch SQLiteError.busy {
    print("busy")
  }
}
