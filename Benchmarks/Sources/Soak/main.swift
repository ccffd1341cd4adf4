// One writer and eight readers of a pool, of which one reads for minutes at a time. Prints the sizes every second.
//
// Usage: Soak SECONDS [--no-upkeep]

import Foundation
import Sluice
import Synchronization

let seconds = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 60
let hasUpkeep = !CommandLine.arguments.contains("--no-upkeep")

var upkeep = hasUpkeep ? PoolUpkeep() : .none
if hasUpkeep { upkeep.walLimit = .slowWrites(bytes: 32 << 20, by: .milliseconds(100)) }
var configuration = Configuration()
configuration.synchronous = .normal

let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let path = folder.appending(path: "app.db").path
let pool = try ConnectionPool(path: path, readers: 9, configuration: configuration, upkeep: upkeep)
try await pool.write { connection in
  try connection.execute(
    sql: """
      CREATE TABLE ring(id INTEGER PRIMARY KEY, payload BLOB) STRICT;
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO ring SELECT i, randomblob(500) FROM n
      """)
}

let isOver = Atomic(false)
let commits = Atomic(0)
let reads = Atomic(0)
let failures = Atomic(0)
let clock = ContinuousClock()

/// Reads a hundred rows, and stays for a duration in the read transaction.
func read(staying pause: Duration) async {
  do {
    try await pool.read { connection in
      let low = Int.random(in: 1...19_900)
      _ = try connection.query(
        .columns(.int, .bytes),
        "SELECT id, payload FROM ring WHERE id BETWEEN \(low) AND \(low + 99)")
      let end = clock.now + pause
      while clock.now < end, !isOver.load(ordering: .relaxed) {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    reads.add(1, ordering: .relaxed)
  } catch { failures.add(1, ordering: .relaxed) }
}

/// The resident memory of the process in bytes.
func residentMemory() -> Int {
  let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
    separator: " ")
  return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
}

await withTaskGroup(of: Void.self) { group in
  group.addTask {
    while !isOver.load(ordering: .relaxed) {
      do {
        let id = Int.random(in: 1...20_000)
        try await pool.write { connection in
          try connection.execute("UPDATE ring SET payload = randomblob(500) WHERE id = \(id)")
        }
        commits.add(1, ordering: .relaxed)
      } catch { failures.add(1, ordering: .relaxed) }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }
  for _ in 0..<7 {
    group.addTask {
      while !isOver.load(ordering: .relaxed) { await read(staying: .milliseconds(40)) }
    }
  }
  group.addTask {
    while !isOver.load(ordering: .relaxed) {
      // Five minutes of every seven.
      await read(staying: .seconds(300))
      for _ in 0..<120 where !isOver.load(ordering: .relaxed) {
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
  print("second\twal\tmemory\tcommits\treads\tfailures")
  for second in 1...seconds {
    try? await Task.sleep(for: .seconds(1))
    print(
      second, pool.status.walSize ?? 0, residentMemory(), commits.load(ordering: .relaxed),
      reads.load(ordering: .relaxed), failures.load(ordering: .relaxed), separator: "\t")
  }
  isOver.store(true, ordering: .relaxed)
}
try await pool.close()
try FileManager.default.removeItem(at: folder)
