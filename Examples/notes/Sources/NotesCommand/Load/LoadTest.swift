import Foundation
import Notes
import Sluice

/// The load test: many clients of one service, alone or beside a second process with the same file.
struct LoadTest {
  private let options: LoadOptions
  private let tally = Tally()
  private let ledger = Ledger()

  private static let notesPerTask = 5

  init(_ options: LoadOptions) { self.options = options }

  /// Runs the test, and prints a report.
  ///
  /// - Returns: Whether there were no errors, all invariants were true, and the memory has not grown.
  func run() async throws -> Bool {
    let service = try await NotesService(path: options.file)
    var entries = Ledger.Entries()
    if !options.isSecondProcess {
      let notes = try await service.respond { try await $0.overview() }.noteCount
      guard notes == 0 else { throw UsageError("\(options.file) already contains notes") }
    }
    let process = options.hasSecondProcess ? try SecondProcess(options) : nil
    async let early = memory(after: .seconds(options.seconds) / 3)
    await runClients(of: service)
    let memory = (await early, ResidentMemory())
    if let process { entries.add(try await process.ledger()) }
    entries.add(ledger.entries)
    if options.isSecondProcess {
      await service.shutDown()
      for problem in tally.problems { entries.problems.append("second process: \(problem)") }
      Output.write(String(decoding: try JSONEncoder().encode(entries), as: UTF8.self))
      return true
    }
    try await checkIndex(of: service)
    let metrics = service.metrics()
    await service.shutDown()
    try check(entries)
    let report = LoadReport(options, tally, metrics, entries, memory)
    Output.write(report.description)
    return report.isGood
  }

  private func runClients(of service: NotesService) async {
    let end = ContinuousClock.now + .seconds(options.seconds)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<options.tasks {
        group.addTask {
          let name = "\(options.isSecondProcess ? "b" : "a")\(number)"
          let seed = options.seed << 16 + UInt64(number)
          var client = Client(service, ledger, tally, name: name, seed: seed)
          await client.createNotes(Self.notesPerTask)
          await client.run(until: end, notes: Self.notesPerTask * options.tasks)
        }
      }
    }
  }

  private func memory(after time: Duration) async -> ResidentMemory? {
    try? await Task.sleep(for: time)
    return ResidentMemory()
  }

  /// Waits for the index in memory, which is a moment behind the table, and compares it with the table.
  private func checkIndex(of service: NotesService) async throws {
    let index = NoteIndex(try await service.respond { try await $0.allNotes() })
    for _ in 0..<500 where service.follower.index != index {
      try await Task.sleep(for: .milliseconds(10))
    }
    if service.follower.index != index { tally.report("The index in memory is wrong") }
  }

  /// Compares the closed file with the ledgers, and checks its integrity.
  private func check(_ entries: Ledger.Entries) throws {
    for problem in entries.problems { tally.report(problem) }
    let connection = try Connection(path: options.file)
    for difference in entries.differences(from: try connection.allNotes()) {
      tally.report(difference)
    }
    let found = try connection.query(.column(.string), sql: "PRAGMA integrity_check")
    if found != ["ok"] { tally.report("integrity_check: \(found)") }
    try connection.fullText("note_index").checkIntegrity()
    try connection.close()
  }
}
