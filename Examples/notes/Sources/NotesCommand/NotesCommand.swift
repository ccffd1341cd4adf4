import Foundation
import Notes

/// The program, which answers requests on standard input, or tests the service under load.
@main
struct NotesCommand {
  static func main() async {
    // A write to a closed output throws an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as UsageError {
      tell("notes: \(error.message)\n\(help)")
      exit(64)
    } catch {
      tell("notes: \(error)\n")
      exit(1)
    }
  }

  static let help = """
    Usage: notes serve FILE
           notes load FILE [--seconds N] [--tasks N] [--seed N] [--second-process]

      serve   answers requests, which are lines of JSON on standard input
      load    sends requests from many tasks, and checks every answer

    FILE is a database, which is created if it does not exist.

    """

  private static func run(_ arguments: [String]) async throws {
    guard arguments.count >= 2 else { throw UsageError("a command and a file are required") }
    let (file, options) = (arguments[1], arguments.dropFirst(2))
    switch arguments[0] {
    case "serve" where options.isEmpty: try await serve(file)
    case "load":
      let options = try LoadOptions(file: file, options)
      guard try await LoadTest(options).run() else { exit(1) }
    default: throw UsageError("\(arguments.joined(separator: " ")) is not a command")
    }
  }

  /// Answers requests until the input ends, or the process receives SIGTERM or SIGINT.
  ///
  /// At the end of the input, requests that are not live are answered before the shutdown.
  private static func serve(_ file: String) async throws {
    let signals = Signals.termination()
    let service = try await NotesService(path: file)
    let session = Session(service) { line in Output.write(line) }
    let lines = Input.lines()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await line in lines { session.receive(line) }
        // A signal has cancelled this task.
        guard !Task.isCancelled else { return }
        session.cancelLive()
        await session.finish()
      }
      group.addTask { for await _ in signals { return } }
      await group.next()
      group.cancelAll()
      // The group waits for its tasks, and requests may end only because of the shutdown.
      await service.shutDown(grace: .seconds(10))
    }
    await session.finish()
  }

  private static func tell(_ text: String) {
    // Ignore a failed write, because it could only be reported on standard error.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
