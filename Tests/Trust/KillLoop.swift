import Foundation
import SluiceTesting

/// Kills a writing process repeatedly, and checks that every commit that the process reported exists.
struct KillLoop {
  let options: Options
  private var rounds: Int { options.isShort ? 24 : 1000 }

  init(_ options: Options) { self.options = options }

  func figures() throws -> [Figure] {
    Watchdog.start()
    var figure = Figure("kill -9", "rounds")
    var random = SeededGenerator(seed: options.seed)
    var commits = 0
    let scratch = try Scratch()
    let modes = ["wal FULL", "wal NORMAL", "wal FULL", "delete FULL"]
    for round in 0..<rounds {
      let mode = modes[round % modes.count].split(separator: " ").map(String.init)
      let path = "\(scratch.path)/\(mode.joined(separator: "-")).db"
      let count = try self.round(path, mode, isCanary: false, &random, &figure)
      commits += count
      figure.count += 1
    }
    if commits < rounds { figure.fail("there were only \(commits) commits") }
    var canary = Figure("", "")
    for round in 0..<40 where canary.failureCount == 0 {
      _ = try self.round(
        "\(scratch.path)/canary-\(round).db", ["delete", "FULL"], isCanary: true, &random, &canary)
    }
    figure.foundCanary = canary.failureCount > 0
    return [figure]
  }

  /// Runs a writing process for a moment, and returns the number of commits that it reported.
  private func round(
    _ path: String, _ mode: [String], isCanary: Bool, _ random: inout SeededGenerator,
    _ figure: inout Figure
  ) throws -> Int {
    Watchdog.hear("a round of \(mode)")
    let before = try count(path)
    let process = Child.make(["--write", path] + mode + (isCanary ? ["early"] : []))
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    // The time starts with the first commit, because a process that is still starting writes nothing.
    var output = pipe.fileHandleForReading.availableData
    usleep(UInt32.random(in: 1000...60_000, using: &random))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    output += try pipe.fileHandleForReading.readToEnd() ?? Data()
    let lines = String(decoding: output, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    if lines.contains(where: { $0.hasPrefix("failed") }) { figure.fail("\(mode): \(lines)") }
    // The last element follows the last complete line.
    let last = lines.dropLast().last.flatMap { Int($0) } ?? before
    do {
      let connection = try Connection(path: path)
      let problems = try connection.integrityProblems()
      let rows = try count(path)
      if !problems.isEmpty { figure.fail("\(mode): \(problems)") }
      if rows < last { figure.fail("\(mode): \(last) commits, and \(rows) are there") }
      let halves = try connection.query(
        .column(.int), sql: "SELECT id FROM first EXCEPT SELECT id FROM second")
      if !halves.isEmpty { figure.fail("\(mode): \(halves) are there by half") }
    } catch { figure.fail("\(mode): \(error)") }
    return last - before
  }

  private func count(_ path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    let connection = try Connection(path: path)
    guard try connection.tables().contains(where: { $0.name == "first" }) else { return 0 }
    return try connection.first(.column(.int), sql: "SELECT count(*) FROM first") ?? 0
  }
}

/// The process that is killed.
///
/// It writes a row into each of two tables, and prints the number of its commits.
enum KillWriter {
  static func run(_ arguments: [String]) {
    do { try write(arguments) } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  private static func write(_ arguments: [String]) throws {
    let tellsEarly = arguments.last == "early"
    var configuration = Configuration()
    configuration.journalMode = Configuration.JournalMode(rawValue: arguments[1])
    let connection = try Connection(path: arguments[0], configuration: configuration)
    try connection.execute(
      sql: """
        PRAGMA synchronous = \(arguments[2]);
        CREATE TABLE IF NOT EXISTS first(id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE IF NOT EXISTS second(id INTEGER PRIMARY KEY, text TEXT)
        """)
    let text = String(repeating: "text ", count: 300)
    var count = try connection.first(.column(.int), sql: "SELECT count(*) FROM first") ?? 0
    while true {
      count += 1
      // The canary's mistake: it reports a commit before the commit happens.
      if tellsEarly { say("\(count)") }
      try connection.transaction(.immediate) { connection, _ in
        try connection.execute("INSERT INTO first VALUES (\(count), \(text))")
        try connection.execute("INSERT INTO second VALUES (\(count), \(text))")
      }
      if !tellsEarly { say("\(count)") }
    }
  }
}
