import Notes
import Sluice
import Synchronization
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(5))) struct `Requests` {
  @Test func `a note is created, read, changed, moved and deleted`() async throws {
    try await Stage().withService { service in
      let note = try await service.respond {
        try await $0.create(Draft(title: " Note G ", body: "Bernoulli"))
      }
      #expect(note == Note(id: 1, notebook: 1, title: "Note G", body: "Bernoulli", version: 1))
      #expect(try await service.respond { try await $0.note(1) } == note)
      let changed = try await service.respond {
        try await $0.update(1, version: 1, title: "Note H", body: "")
      }
      #expect(changed == Note(id: 1, notebook: 1, title: "Note H", body: "", version: 2))
      let moved = try await service.respond { try await $0.move(1, to: "Archive") }
      #expect(moved == Note(id: 1, notebook: 2, title: "Note H", body: "", version: 3))
      let overview = try await service.respond { try await $0.overview() }
      #expect(overview.notebooks.map(\.name) == ["Archive", "Inbox"])
      #expect(overview.notebooks.map(\.size) == [1, 0])
      try await service.respond { try await $0.delete(1) }
      #expect(await service.failure { _ = try await $0.note(1) } == .notFound(1))
      #expect(try await service.create("Note G").id == 2)
    }
  }

  @Test func `a database without a file has the same operations`() async throws {
    let queue = try ConnectionQueue()
    try await Schema.migrator().migrate(queue)
    let notes = NotesStore(database: queue)
    let note = try await notes.create(Draft(title: "Note G", body: "Bernoulli"))
    #expect(try await notes.note(note.id) == note)
    #expect(try await notes.search("bernoulli").hits.map(\.id) == [note.id])
    try await notes.checkHealth()
    try await queue.close()
  }

  @Test func `an update of an older version is a conflict and changes nothing`() async throws {
    try await Stage().withService { service in
      try await service.create("Note G")
      _ = try await service.respond { try await $0.update(1, version: 1, title: "A", body: "a") }
      let failure = await service.failure {
        _ = try await $0.update(1, version: 1, title: "B", body: "b")
      }
      #expect(failure == .conflict("The note has version 2, not 1"))
      #expect(try await service.respond { try await $0.note(1) }.title == "A")
    }
  }

  @Test func `of concurrent updates of one version, one succeeds`() async throws {
    try await Stage().withService { service in
      try await service.create("Note G")
      let successes = await withTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            let failure = await service.failure {
              _ = try await $0.update(1, version: 1, title: "\(number)", body: "")
            }
            return failure == nil ? 1 : 0
          }
        }
        return await group.reduce(0, +)
      }
      #expect(successes == 1)
      #expect(try await service.respond { try await $0.note(1) }.version == 2)
    }
  }

  @Test func `pages list the newest notes first`() async throws {
    try await Stage().withService { service in
      for number in 1...5 { try await service.create("Note \(number)") }
      let pages = try await service.respond { notes in
        [try await notes.page(1, size: 2), try await notes.page(3, size: 2)]
      }
      #expect(pages[0].notes.map(\.id) == [5, 4])
      #expect(pages[1].notes.map(\.id) == [1])
      #expect(pages[0].noteCount == 5)
      #expect(try await service.respond { try await $0.page(4, size: 2) }.notes == [])
    }
  }

  @Test func `a search finds words, and suggests a correction if it finds nothing`() async throws {
    try await Stage().withService { service in
      _ = try await service.respond {
        try await $0.create(Draft(title: "Sketch", body: "The Analytical Engine weaves"))
      }
      let answer = try await service.respond { try await $0.search("engin") }
      #expect(answer.hits.map(\.excerpt) == ["The Analytical [Engine] weaves"])
      #expect(answer.didYouMean == nil)
      let other = try await service.respond { try await $0.search("analitycal engine") }
      #expect(other.hits == [])
      #expect(other.didYouMean == "analytical engine")
      let rest = Array(repeating: "engine", count: 9).joined(separator: " ")
      let long = try await service.respond { try await $0.search("analitycal \(rest)") }
      #expect(long.didYouMean == "analytical \(rest)")
      // User input is escaped, so no word acts as a search operator.
      for words in ["\" OR (", "", " ", "\0", "a\0b", "title:*"] {
        #expect(try await service.respond { try await $0.search(words) }.hits == [])
      }
      try await service.respond { try await $0.delete(1) }
      #expect(try await service.respond { try await $0.search("engine") }.hits == [])
    }
  }

  @Test func `the index in memory completes words of titles`() async throws {
    try await Stage().withService { service in
      for title in ["Engine", "Engines", "engine room"] { try await service.create(title) }
      try await service.follower.wait { $0.notes.count == 3 }
      #expect(service.completions(of: "ENG") == ["engine", "engines"])
    }
  }

  @Test func `live notes follow this service and other programs`() async throws {
    let stage = try Stage()
    try await stage.withService { service in
      let other = try await stage.service()
      var seen: [[String]] = []
      for try await notes in try service.liveNotes() {
        seen.append(notes.map(\.title))
        if seen.count == 1 { try await service.create("A") }
        // To the watch, a separate service is equivalent to another process.
        if seen.count == 2 { try await other.create("B") }
        if seen.count == 3 { break }
      }
      #expect(seen == [[], ["A"], ["B", "A"]])
      await other.shutDown()
    }
  }

  @Test func `health and metrics describe the service`() async throws {
    try await Stage().withService { service in
      try await service.create("Note G")
      try await service.follower.wait { $0.notes.count == 1 }
      #expect(await service.health() == Health(isHealthy: true))
      let metrics = service.metrics()
      #expect(metrics.writes.count > 0 && metrics.reads.count > 0)
      #expect(metrics.writes.failed == 0 && metrics.reads.failed == 0)
      #expect(metrics.writes.duration.p50 > 0)
      #expect(metrics.writes.duration.p50 <= metrics.writes.duration.max)
      #expect(metrics.pool.walSize > 0)
      #expect(metrics.index.notes == 1 && metrics.index.words == 2)
      #expect(metrics.runningRequests == 0)
    }
  }

  /// A monitor that counts the reports that it receives.
  private final class Counter: ConnectionMonitor {
    let counts = Mutex((statements: 0, accesses: 0, explanations: 0))

    func statementDidEnd(_ statement: StatementRecord) { counts.withLock { $0.statements += 1 } }
    func accessDidEnd(_ access: AccessRecord) { counts.withLock { $0.accesses += 1 } }
    func wantsExplanation(of statement: StatementRecord) -> Bool { true }
    func statementWasExplained(_ explanation: StatementExplanation) {
      counts.withLock { $0.explanations += 1 }
    }
  }

  @Test func `the monitor of the caller receives all reports`() async throws {
    let counter = Counter()
    var configuration = Configuration()
    configuration.monitor = counter
    try await Stage().withService(configuration: configuration) { service in
      try await service.create("Note G")
      #expect(service.metrics().writes.count > 0)
      let counts = counter.counts.withLock { $0 }
      #expect(counts.statements > 0 && counts.accesses > 0 && counts.explanations > 0)
    }
  }
}
