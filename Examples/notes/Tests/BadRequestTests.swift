import Notes
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(5))) struct `Bad requests` {
  /// A request, and the error that it must throw.
  struct Scene: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answer: NotesError
    let request: @Sendable (NotesStore) async throws -> Void

    init(
      _ name: String, _ answer: NotesError,
      _ request: @escaping @Sendable (NotesStore) async throws -> Void
    ) {
      testDescription = name
      self.answer = answer
      self.request = request
    }
  }

  static let scenes = [
    Scene("an empty title", .invalid("The title is empty")) {
      _ = try await $0.create(Draft(title: " \n"))
    },
    Scene("an empty notebook", .invalid("The notebook is empty")) {
      _ = try await $0.move(1, to: "")
    },
    Scene("a huge title", .invalid("The title has more than 200 characters")) {
      _ = try await $0.create(Draft(title: String(repeating: "a", count: 201)))
    },
    Scene("a huge body", .invalid("The body has more than 1048576 bytes")) {
      _ = try await $0.create(Draft(title: "a", body: String(repeating: "é", count: 600_000)))
    },
    Scene("NUL in a title", .invalid("The title contains NUL")) {
      _ = try await $0.create(Draft(title: "a\0b"))
    },
    Scene("NUL in a body", .invalid("The body contains NUL")) {
      _ = try await $0.update(1, version: 1, title: "a", body: "\0")
    },
    Scene("page 0", .invalid("There is no page 0")) { _ = try await $0.page(0) },
    Scene("a page number that overflows", .invalid("There is no page \(Int.max)")) {
      _ = try await $0.page(.max)
    },
    Scene("a page number that underflows", .invalid("There is no page \(Int.min)")) {
      _ = try await $0.page(.min)
    },
    Scene("an empty page", .invalid("A page has 1 to 100 notes (got 0)")) {
      _ = try await $0.page(1, size: 0)
    },
    Scene("a search for everything", .invalid("A search returns 1 to 100 notes (got -1)")) {
      _ = try await $0.search("a", limit: -1)
    },
    Scene("a huge search", .invalid("The search has more than 1000 bytes")) {
      _ = try await $0.search(String(repeating: "a ", count: 501))
    },
    Scene("a title of one character", .invalid("The title has more than 200 characters")) {
      _ = try await $0.create(Draft(title: "a" + String(repeating: "\u{301}", count: 1000)))
    },
    Scene("an unknown ID", .notFound(7)) { _ = try await $0.note(7) },
    Scene("an update of an unknown note", .notFound(7)) {
      _ = try await $0.update(7, version: 1, title: "a", body: "")
    },
    Scene("a deletion of an unknown note", .notFound(-1)) { try await $0.delete(-1) },
    Scene(
      "a title that the notebook has", .conflict("The notebook already has a note with this title")
    ) { _ = try await $0.create(Draft(title: "Note G")) },
  ]

  @Test(arguments: scenes) func `a bad request has its answer and changes nothing`(
    _ scene: Scene
  ) async throws {
    try await Stage().withService { service in
      try await service.create("Note G")
      #expect(await service.failure(scene.request) == scene.answer)
      #expect(try await service.respond { try await $0.note(1) }.version == 1)
      let overview = try await service.respond { try await $0.overview() }
      #expect(overview.notebooks.map(\.size) == [1] && overview.noteCount == 1)
    }
  }

  @Test func `a cancelled request changes nothing`() async throws {
    try await Stage().withService { service in
      await #expect(throws: NotesError.cancelled) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.cancelAll()
          group.addTask { try await service.create("Note G") }
          try await group.next()
        }
      }
      let overview = try await service.respond { try await $0.overview() }
      #expect(overview.noteCount == 0)
    }
  }

  @Test func `a request past its deadline changes nothing`() async throws {
    try await Stage().withService { service in
      await #expect(throws: NotesError.timedOut) {
        try await service.respond(within: .zero) { try await $0.create(Draft(title: "Note G")) }
      }
      let overview = try await service.respond { try await $0.overview() }
      #expect(overview.noteCount == 0)
    }
  }

  @Test func `a live list of no notes is invalid`() async throws {
    try await Stage().withService { service in
      #expect(throws: NotesError.invalid("A live list has 1 to 100 notes (got 0)")) {
        try service.liveNotes(limit: 0)
      }
    }
  }
}
