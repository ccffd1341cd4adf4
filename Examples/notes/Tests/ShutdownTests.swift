import Notes
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(5))) struct `A shutdown` {
  @Test func `a request after the shutdown is refused`() async throws {
    let stage = try Stage()
    let service = try await stage.service()
    try await service.create("Note G")
    await service.shutDown()
    #expect(await service.failure { _ = try await $0.note(1) } == .shuttingDown)
    #expect(throws: NotesError.shuttingDown) { try service.liveNotes() }
    #expect(
      await service.health()
        == Health(isHealthy: false, problem: "The service is shutting down"))
    await service.shutDown()
    try await stage.withService { service in
      let note = try await service.respond { try await $0.note(1) }
      #expect(note.title == "Note G")
    }
  }

  @Test func `a running request finishes within the grace period`() async throws {
    try await Stage().withService { service in
      let pause = Pause()
      async let answer = service.respond { notes in
        await pause.pass()
        return try await notes.create(Draft(title: "Note G")).id
      }
      await pause.hasBegun()
      async let end: Void = service.shutDown(grace: .seconds(60))
      while await service.health().isHealthy { await Task.yield() }
      pause.end()
      let id = try await answer
      #expect(id == 1)
      await end
    }
  }

  @Test func `a request that exceeds the grace period ends`() async throws {
    try await Stage().withService { service in
      let pause = Pause()
      async let failure = service.failure { notes in
        await pause.pass()
        _ = try await notes.create(Draft(title: "Note G"))
      }
      await pause.hasBegun()
      await service.shutDown(grace: .zero)
      pause.end()
      #expect(await failure == .shuttingDown)
    }
  }

  @Test func `a shutdown ends live lists without an error`() async throws {
    try await Stage().withService { service in
      var count = 0
      for try await _ in try service.liveNotes() {
        count += 1
        await service.shutDown()
      }
      #expect(count == 1)
    }
  }

  @Test func `concurrent shutdowns from cancelled tasks wait for a running request`() async throws {
    try await Stage().withService { service in
      let pause = Pause()
      async let answer = service.respond { notes in
        await pause.pass()
        return try await notes.create(Draft(title: "Note G")).id
      }
      await pause.hasBegun()
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        for _ in 0..<2 { group.addTask { await service.shutDown(grace: .seconds(3600)) } }
        while await service.health().isHealthy { await Task.yield() }
        pause.end()
      }
      let id = try await answer
      #expect(id == 1)
    }
  }
}

/// A pause in a request, which lasts until the test ends it.
private struct Pause {
  private let begin = AsyncStream.makeStream(of: Void.self)
  private let finish = AsyncStream.makeStream(of: Void.self)

  /// Waits in the request until the test ends the pause.
  func pass() async {
    begin.continuation.finish()
    for await _ in finish.stream {}
  }

  /// Waits in the test until the request has reached the pause.
  func hasBegun() async { for await _ in begin.stream {} }

  func end() { finish.continuation.finish() }
}
