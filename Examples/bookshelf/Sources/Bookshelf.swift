import Foundation
import Sluice

/// The program, which stores a list of books, both read and unread.
@main
struct Bookshelf {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst())) { print($0, terminator: "") }
    } catch let error as UsageError {
      tell("bookshelf: \(error.message)\n\(help)")
      exit(64)
    } catch {
      tell("bookshelf: \(error)\n")
      exit(1)
    }
  }

  static let help = """
    Usage: bookshelf FILE COMMAND

      add TITLE AUTHOR    adds a book
      finish ID [STARS]   marks a book as read, with an optional rating from 1 to 5
      list                lists all books
      find WORDS          lists the books that contain all of the words
      watch               lists all books, now and after each change

    FILE is a database, which is created if it does not exist.

    """

  /// Runs the command that the arguments specify, and passes its output to `write`.
  static func run(
    _ arguments: [String], write: @escaping @Sendable (String) -> Void
  ) async throws {
    guard arguments.count >= 2 else { throw UsageError("a file and a command are required") }
    let command = try Command(arguments.dropFirst())
    let shelf = try await Shelf(path: arguments[0])
    switch command {
    case .add(let title, let author):
      write("\(try await shelf.add(title, by: author))\n")
    case .finish(let id, let stars):
      guard try await shelf.finish(id, stars: stars) else {
        throw UsageError("there is no book \(id)")
      }
    case .list: write(try await shelf.report())
    case .find(let words): write(Report(try await shelf.find(words)).description)
    case .watch:
      for try await books in shelf.changes { write(Report(books).description) }
    }
    try await shelf.close()
  }

  private static func tell(_ text: String) {
    // Ignore a failed write, because it could only be reported on standard error.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
