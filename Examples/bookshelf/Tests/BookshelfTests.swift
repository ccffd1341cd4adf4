import Foundation
import Sluice
import Synchronization
import Testing

@testable import bookshelf

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(10))) struct `The bookshelf` {
  /// A database file in a temporary folder, and the program's output.
  private final class Stage: Sendable {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "bookshelf-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let output = Mutex("")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
      // If the folder cannot be deleted, it is harmless.
      try? FileManager.default.removeItem(at: folder)
    }

    var file: String { folder.appending(path: "books.db").path }

    /// Runs the program with the arguments, and returns its output.
    func run(_ arguments: String...) async throws -> String {
      try await Bookshelf.run([file] + arguments) { text in self.output.withLock { $0 += text } }
      return output.withLock { text in
        defer { text = "" }
        return text
      }
    }
  }

  @Test func `the program adds, finishes, lists and finds books`() async throws {
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
    // User input is escaped, so no word acts as a search operator.
    #expect(try await stage.run("find", "\" OR") == "There are no books.\n")
  }

  @Test func `an invalid command throws and changes nothing`() async throws {
    let stage = try Stage()
    _ = try await stage.run("add", "Notes", "Ada")
    await #expect(throws: UsageError("there is no book 7")) {
      try await stage.run("finish", "7")
    }
    await #expect(throws: UsageError("x is not a number")) { try await stage.run("finish", "x") }
    await #expect(throws: UsageError("lst is not a command")) { try await stage.run("lst") }
    await #expect(throws: SQLiteError.self) { try await stage.run("finish", "1", "6") }
    #expect(try await stage.run("list") == "[ ] 1 Notes, Ada\n0 of 1 read\n")
  }

  @Test func `a watched shelf emits a book that another pool adds`() async throws {
    let stage = try Stage()
    _ = try await stage.run("add", "Notes", "Ada")
    let shelf = try await Shelf(path: stage.file)
    var seen: [[String]] = []
    for try await books in shelf.changes {
      seen.append(books.map(\.title))
      guard books.count < 2 else { break }
      // To the watch, a separate pool is equivalent to another process.
      _ = try await stage.run("add", "Sketches", "L. F. Menabrea")
    }
    #expect(seen == [["Notes"], ["Notes", "Sketches"]])
    try await shelf.close()
  }
}
