import Foundation
import Sluice
import Synchronization
import Testing

@testable import bookshelf

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(10))) struct `The bookshelf` {
  /// A file in a folder of its own, and all that was written.
  private final class Stage: Sendable {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "bookshelf-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let output = Mutex("")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
      // A leftover does no harm.
      try? FileManager.default.removeItem(at: folder)
    }

    var file: String { folder.appending(path: "books.db").path }

    /// Returns the output of the program for some arguments.
    func run(_ arguments: String...) async throws -> String {
      try await Bookshelf.run([file] + arguments) { text in self.output.withLock { $0 += text } }
      return output.withLock { text in
        defer { text = "" }
        return text
      }
    }
  }

  @Test func `books are added, finished, listed and found`() async throws {
    let stage = try Stage()
    #expect(try await stage.run("list") == "There are no books.\n0 of 0 read\n")
    #expect(try await stage.run("add", "Notes on the Engine", "Ada Lovelace") == "1\n")
    #expect(try await stage.run("add", "Sketches", "L. F. Menabrea") == "2\n")
    #expect(try await stage.run("finish", "1", "5") == "")
    #expect(
      try await stage.run("list") == """
        [ ] 2 Sketches, L. F. Menabrea
        [x] 1 Notes on the Engine, Ada Lovelace *****
        1 of 2 read; on average they have 5.0 stars

        """)
    #expect(
      try await stage.run("find", "love", "eng")
        == "There are no books.\n")
    #expect(
      try await stage.run("find", "engine", "love")
        == "[x] 1 Notes on the Engine, Ada Lovelace *****\n")
    // No word of the user's is an operator of the search.
    #expect(try await stage.run("find", "\" OR") == "There are no books.\n")
  }

  @Test func `what cannot be is refused, and changes nothing`() async throws {
    let stage = try Stage()
    _ = try await stage.run("add", "Notes", "Ada")
    await #expect(throws: UsageError("there is no book 7")) {
      try await stage.run("finish", "7")
    }
    await #expect(throws: UsageError("x is no number")) { try await stage.run("finish", "x") }
    await #expect(throws: UsageError("lst is no command")) { try await stage.run("lst") }
    await #expect(throws: SQLiteError.self) { try await stage.run("finish", "1", "6") }
    #expect(try await stage.run("list") == "[ ] 1 Notes, Ada\n0 of 1 read\n")
  }

  @Test func `who watches sees what another process adds`() async throws {
    let stage = try Stage()
    _ = try await stage.run("add", "Notes", "Ada")
    let shelf = try await Shelf(path: stage.file)
    var seen: [[String]] = []
    for try await books in shelf.changes {
      seen.append(books.map(\.title))
      guard books.count < 2 else { break }
      // A pool of its own does not differ from a process.
      _ = try await stage.run("add", "Sketches", "L. F. Menabrea")
    }
    #expect(seen == [["Notes"], ["Notes", "Sketches"]])
    try await shelf.close()
  }
}
