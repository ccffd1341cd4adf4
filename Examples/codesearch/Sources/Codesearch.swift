import Foundation
import Sluice

/// The program, which updates the index of a folder and then searches it.
@main
struct Codesearch {
  static func main() async {
    do {
      let options = try Options(arguments: CommandLine.arguments.dropFirst())
      let hasFound = try await run(options)
      exit(hasFound ? 0 : 1)
    } catch let error as UsageError {
      Console.tell("codesearch: \(error.message)\nTry: codesearch --help")
      exit(64)
    } catch {
      Console.tell("codesearch: \(error)")
      exit(2)
    }
  }

  /// Runs the program with these options.
  ///
  /// - Returns: False if a search found nothing; otherwise true.
  private static func run(_ options: Options) async throws -> Bool {
    guard !options.showsHelp else {
      try Console.write(Options.help)
      return true
    }
    let place = try Place(folder: options.folder, database: options.database)
    do {
      let index = try await CodeIndex(path: place.database, isNew: options.startsAfresh)
      let query = MatchExpression(words: options.words)
      let update = try await index.update(
        from: place, filesPerBatch: options.filesPerBatch, query: query,
        isVerbose: options.isVerbose)
      Console.tell(update.description)
      if options.watches {
        try await index.watch(
          place, filesPerBatch: options.filesPerBatch, query: query, limit: options.limit)
      }
      let results = try await index.search(query, limit: options.limit)
      try await index.close()
      try Console.write(Report(results, isStyled: Terminal.isCapable(STDOUT_FILENO)).description)
      return query == nil || !results.hits.isEmpty
    } catch let error as SQLiteError {
      throw Failure(of: place.database, error)
    }
  }
}
