import Foundation
public import Sluice

/// The notes in a database, as the operations of a service.
///
/// ```swift
/// let notes = NotesStore(database: pool, deadline: .now + .seconds(2))
/// let note = try await notes.create(Draft(title: "Note G"))
/// ```
///
/// The database can be a queue, a pool or a cluster. Each operation is one transaction, which is rolled back at the
/// deadline. An operation throws a ``NotesError`` if the request is wrong, and an error of Sluice if the database fails;
/// ``NotesService`` converts the latter.
public struct NotesStore: Sendable {
  let database: any DatabaseWriter
  /// The time at which the operations end; nil if they may take any time.
  let deadline: ContinuousClock.Instant?

  /// Creates a store over a database that has the schema of ``Schema``.
  public init(database: any DatabaseWriter, deadline: ContinuousClock.Instant? = nil) {
    self.database = database
    self.deadline = deadline
  }
}

/// Operations that write.
extension NotesStore {
  /// Creates a note with version 1.
  public func create(_ draft: Draft) async throws -> Note {
    let draft = try draft.checked()
    return try await write { connection in
      let notebook = try connection.notebookID(name: draft.notebook)
      try connection.resizeNotebook(change: 1, id: notebook)
      return try connection.addNote(notebook: notebook, title: draft.title, body: draft.body)
    }
  }

  /// Changes the title and body of a note, unless it has changed since the client has read `version`.
  public func update(_ id: Int, version: Int, title: String, body: String) async throws -> Note {
    let draft = try Draft(title: title, body: body).checked()
    return try await write { connection in
      if let note = try connection.updateNote(
        title: draft.title, body: draft.body, id: id, version: version)
      {
        return note
      }
      guard let note = try connection.note(id: id) else { throw NotesError.notFound(id) }
      throw NotesError.conflict("The note has version \(note.version), not \(version)")
    }
  }

  /// Moves a note to a notebook, and adjusts the sizes of both notebooks in the same transaction.
  public func move(_ id: Int, to notebook: String) async throws -> Note {
    let name = try Draft.checked(notebook, "notebook")
    return try await write { connection in
      guard let note = try connection.note(id: id) else { throw NotesError.notFound(id) }
      let target = try connection.notebookID(name: name)
      try connection.resizeNotebook(change: -1, id: note.notebook)
      try connection.resizeNotebook(change: 1, id: target)
      guard let moved = try connection.moveNote(notebook: target, id: id) else {
        throw NotesError.notFound(id)
      }
      return moved
    }
  }

  public func delete(_ id: Int) async throws {
    try await write { connection in
      guard let note = try connection.note(id: id) else { throw NotesError.notFound(id) }
      try connection.removeNote(id: id)
      try connection.resizeNotebook(change: -1, id: note.notebook)
    }
  }

  /// Runs `body` in a write transaction.
  private func write<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: Connection) throws -> T
  ) async throws -> T {
    // The transaction begins as immediate, so it needs no retries: its beginning waits for the busy timeout.
    try await database.write(deadline: deadline) { connection in try body(connection) }
  }

  /// Throws if the file at the database's path is not the one that is open.
  ///
  /// A database in memory and a database of a cluster have no path.
  private func refuseMovedFile(_ connection: Connection) throws {
    do {
      guard try connection.hasFileMoved() else { return }
    } catch SQLiteError.notFound { return }
    throw NotesError.unavailable(
      "The database file was moved, deleted or replaced", retryAfter: .seconds(60))
  }
}

/// Operations that read.
extension NotesStore {
  public func note(_ id: Int) async throws -> Note {
    let note = try await database.read(deadline: deadline) { try $0.note(id: id) }
    guard let note else { throw NotesError.notFound(id) }
    return note
  }

  /// Returns a page of all notes, the newest first.
  public func page(_ number: Int, size: Int = 20) async throws -> NotePage {
    guard 1...100 ~= size else {
      throw NotesError.invalid("A page has 1 to 100 notes (got \(size))")
    }
    guard number >= 1 else { throw NotesError.invalid("There is no page \(number)") }
    let (offset, isTooLarge) = (number - 1).multipliedReportingOverflow(by: size)
    guard !isTooLarge else { throw NotesError.invalid("There is no page \(number)") }
    return try await database.read(deadline: deadline) { connection in
      NotePage(
        notes: try connection.newestNotes(limit: size, offset: offset), number: number,
        noteCount: try connection.noteCount())
    }
  }

  /// Returns all notebooks and the number of notes, which are from the same state of the database.
  public func overview() async throws -> Overview {
    try await database.read(deadline: deadline) { connection in
      Overview(notebooks: try connection.notebooks(), noteCount: try connection.noteCount())
    }
  }

  /// Returns the notes that contain all words, the best match first.
  public func search(_ words: String, limit: Int = 20) async throws -> SearchAnswer {
    guard 1...100 ~= limit else {
      throw NotesError.invalid("A search returns 1 to 100 notes (got \(limit))")
    }
    guard words.utf8.count <= 1000 else {
      throw NotesError.invalid("The search has more than 1000 bytes")
    }
    return try await database.read(deadline: deadline) { connection in
      let hits = try connection.search(.allWords(words, prefixes: .last), limit: limit)
      let correction = hits.isEmpty ? try connection.correction(of: words) : nil
      return SearchAnswer(hits: hits, didYouMean: correction)
    }
  }

  /// Returns all notes, for tests of the indexes.
  package func allNotes() async throws -> [Note] {
    try await database.read(deadline: deadline) { try $0.allNotes() }
  }

  /// Throws unless the database can be read, and is still the file at its path.
  public func checkHealth() async throws {
    try await database.read(deadline: deadline) { connection in
      try refuseMovedFile(connection)
      _ = try connection.newestNotes(limit: 1, offset: 0)
    }
  }
}
