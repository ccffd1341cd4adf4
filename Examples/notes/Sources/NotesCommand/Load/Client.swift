import Notes
import SluiceTesting

/// A client of the load test, which sends one random request after another, and checks each answer.
struct Client {
  let service: NotesService
  let ledger: Ledger
  let tally: Tally
  /// The name of the client, which makes the titles of its notes unique.
  let name: String
  var random: SeededGenerator
  private var createdCount = 0

  init(_ service: NotesService, _ ledger: Ledger, _ tally: Tally, name: String, seed: UInt64) {
    (self.service, self.ledger, self.tally, self.name) = (service, ledger, tally, name)
    random = SeededGenerator(seed: seed)
  }

  /// Creates the notes with which the load begins.
  mutating func createNotes(_ count: Int) async {
    for _ in 0..<count { await create() }
  }

  /// Sends requests, with pauses of up to 200 ms, until the time is over.
  ///
  /// The number of notes remains about the `target`.
  mutating func run(until end: ContinuousClock.Instant, notes target: Int) async {
    while .now < end {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<35: await read()
      case 35..<45: await list()
      case 45..<55: await search()
      case 55..<60: await complete()
      case 60..<68: await overview()
      case 68..<75:
        if ledger.presentCount < target { await create() } else { await delete() }
      case 75..<83: await update()
      case 83..<91: await move()
      case 91..<93: await live(until: end)
      case 93..<96: await cancelledMove()
      case 96..<99: await lateMove()
      default: await health()
      }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &random)))
    }
  }
}

/// Requests that write.
extension Client {
  private mutating func create() async {
    createdCount += 1
    let word = "\(name)x\(createdCount)"
    let draft = Draft(notebook: notebook(), title: "Note \(word)", body: text())
    guard let note = await send(.create, { try await $0.create(draft) }) else { return }
    ledger.noteCreated(note.id)
    guard let answer = await send(.search, { try await $0.search(word) }),
      !answer.hits.contains(where: { $0.id == note.id })
    else { return }
    // Another client may have deleted the note, but then the table does not contain it either.
    if await send(.read, { try await $0.note(note.id) }) != nil {
      tally.report("A search does not find the new note \(note.id)")
    }
  }

  private mutating func update() async {
    guard let id = await anyNote() else { return }
    let text = text()
    let note = await send(.update) { notes in
      let note = try await notes.note(id)
      return try await notes.update(id, version: note.version, title: note.title, body: text)
    }
    if note != nil { ledger.noteChanged(id) }
  }

  private mutating func move() async {
    guard let id = await anyNote() else { return }
    let notebook = notebook()
    if await send(.move, { try await $0.move(id, to: notebook) }) != nil { ledger.noteChanged(id) }
  }

  private mutating func delete() async {
    guard let id = ledger.randomNote(using: &random) else { return }
    let isDeleted: Void? = await send(.delete) { try await $0.delete(id) }
    if isDeleted != nil { ledger.noteDeleted(id) }
  }

  /// Moves a note, and withdraws the request after up to 40 ms.
  private mutating func cancelledMove() async {
    guard let id = await anyNote() else { return }
    let (notebook, delay) = (notebook(), Int.random(in: 0...40_000, using: &random))
    let moved = await tally.measure(.cancelled, stops: true) { [service] in
      let request = Task {
        try await service.respond { try await $0.move(id, to: notebook) }
      }
      try? await Task.sleep(for: .microseconds(delay))
      request.cancel()
      return try await request.value
    }
    if moved != nil { ledger.noteChanged(id) }
  }

  /// Moves a note within a deadline of up to 40 ms.
  private mutating func lateMove() async {
    guard let id = await anyNote() else { return }
    let (notebook, time) = (notebook(), Int.random(in: 0...40_000, using: &random))
    let moved = await tally.measure(.late, stops: true) {
      try await service.respond(within: .microseconds(time)) { try await $0.move(id, to: notebook) }
    }
    if moved != nil { ledger.noteChanged(id) }
  }
}

/// Requests that read.
extension Client {
  private mutating func read() async {
    guard let id = await anyNote() else { return }
    let known = ledger.knownVersion(of: id)
    guard let note = await send(.read, { try await $0.note(id) }) else { return }
    if note.version < known {
      tally.report("Note \(id) has version \(note.version) after version \(known)")
    }
  }

  private mutating func list() async {
    let number = Int.random(in: 1...20, using: &random)
    guard let page = await send(.list, { try await $0.page(number) }) else { return }
    if page.notes.map(\.id) != page.notes.map(\.id).sorted(by: >) {
      tally.report("A page is not in order")
    }
  }

  private mutating func search() async {
    let words = "\(word()) \(word().dropLast())"
    _ = await send(.search) { try await $0.search(words) }
  }

  private mutating func complete() async {
    let prefix = String(word().prefix(3))
    _ = await tally.measure(.complete) { service.completions(of: prefix) }
  }

  private mutating func overview() async {
    guard let overview = await send(.overview, { try await $0.overview() }) else { return }
    let sum = overview.notebooks.map(\.size).reduce(0, +)
    if sum != overview.noteCount {
      tally.report("The notebooks have \(sum) notes, but there are \(overview.noteCount)")
    }
  }

  private mutating func health() async {
    let health = await tally.measure(.health) {
      _ = service.metrics()
      return await service.health()
    }
    if let problem = health?.problem { tally.report("The service is not healthy: \(problem)") }
  }

  /// Receives up to ten live lists in up to a second, like a browser that leaves the page.
  private mutating func live(until end: ContinuousClock.Instant) async {
    _ = await tally.measure(.live) { [service, tally] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var versions: [Int: Int] = [:]
          for try await notes in try service.liveNotes().prefix(10) {
            for note in notes where note.version < versions[note.id] ?? 0 {
              tally.report("Note \(note.id) has gone back to version \(note.version)")
            }
            versions.merge(notes.map { ($0.id, $0.version) }) { $1 }
          }
        }
        group.addTask { try await Task.sleep(for: .seconds(1)) }
        try await group.next()
        group.cancelAll()
      }
    }
  }
}

/// Random input.
extension Client {
  /// Sends a request, and returns the answer, or nil if there is none.
  private func send<Answer: Sendable>(
    _ kind: Tally.Kind, _ request: (_ notes: NotesStore) async throws -> Answer
  ) async -> Answer? {
    await tally.measure(kind) { try await service.respond(request) }
  }

  /// Returns the ID of a note that this process has created, or of a note on a random page.
  private mutating func anyNote() async -> Int? {
    if Bool.random(using: &random), let id = ledger.randomNote(using: &random) { return id }
    let number = Int.random(in: 1...10, using: &random)
    return await send(.list) { try await $0.page(number) }?.notes.randomElement(using: &random)?.id
  }

  private mutating func notebook() -> String { "Notebook \(Int.random(in: 1...8, using: &random))" }

  private mutating func text() -> String { (0..<30).map { _ in word() }.joined(separator: " ") }

  private mutating func word() -> String {
    Self.words.randomElement(using: &random) ?? ""
  }

  private static let words = """
    analytical barrel bernoulli card column difference engine figure gear index jacquard loom mill \
    note operation punch quantity register sketch store table thread variable warp weave wheel
    """.split(separator: " ").map(String.init)
}
