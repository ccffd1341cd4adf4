import Foundation
import Sluice

/// The program, which keeps a list of books that were read and books to read.
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

      add TITLE AUTHOR    puts a book on the shelf
      finish ID [STARS]   tells that it was read, and how good it was, from 1 to 5
      list                shows all books
      find WORDS          shows those with all of the words
      watch               shows all, now and each time that they change

    FILE is a database, which is made if it is not there.

    """

  /// Runs the command that the arguments specify, and passes its output to `write`.
  static func run(
    _ arguments: [String], write: @escaping @Sendable (String) -> Void
  ) async throws {
    guard arguments.count >= 2 else { throw UsageError("a file and a command are needed") }
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
    // An error is ignored, because the standard error is the only place to report it.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
