import Dispatch
import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The program `sluice`, whose first argument selects a command.
package enum SluiceCommand {
  /// All commands, in the order of the help.
  package static let commands: [any Command] = [
    NewCommand(), Check(), Generate(), Migrate(), Status(), Explain(), SchemaCommand(),
    ImportCommand(), ExportCommand(), DiffCommand(), DumpCommand(), LoadCommand(), Doctor(),
    CompletionsCommand(), ManualCommand(),
  ]

  /// Runs the program with the arguments of the process, and returns the exit code.
  package static func main() -> Int32 {
    let signals = signalsThatDeleteUnfinishedFiles()
    return withExtendedLifetime(signals) {
      run(Array(CommandLine.arguments.dropFirst()), .standard).rawValue
    }
  }

  /// Deletes unfinished files before a signal ends the process, as long as the result exists.
  private static func signalsThatDeleteUnfinishedFiles() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].compactMap { number in
      let previous = signal(number, SIG_IGN)
      // The parent process ignores the signal, as `nohup` does.
      if unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        return nil
      }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        UnfinishedFiles.deleteAll()
        signal(number, SIG_DFL)
        kill(getpid(), number)
        // The parent process can have blocked the signal.
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  /// Runs the program with the arguments that follow the program's name.
  package static func run(_ arguments: [String], _ console: Console) -> ExitCode {
    var console = console
    console.showsExcerpts = !arguments.prefix { $0 != "--" }.contains(Option.json.name)
    do {
      return try dispatch(arguments, console)
    } catch let error as UsageError {
      console.tell(.error, error.message)
      console.tell("Try: sluice\(error.command.map { " \($0.name)" } ?? "") --help\n")
      return .usage
    } catch let error as Failure {
      console.tell([Message(error)])
      return .failure
    } catch let error as SQLiteError {
      console.tell([Message(Failure(error.message))])
      return .failure
    } catch {
      console.tell(.error, "\(error)")
      return .failure
    }
  }

  private static func dispatch(_ arguments: [String], _ console: Console) throws -> ExitCode {
    guard let word = arguments.first else {
      throw UsageError("A command is missing")
    }
    switch word {
    case "--help", "-h": return try help(Array(arguments.dropFirst()), console)
    case "help": return try help(Array(arguments.dropFirst()), console)
    case "--version":
      try console.write("sluice \(SluiceVersion.text)\nSQLite \(SQLiteLibrary.version)\n")
      return .success
    default: return try run(command(word), arguments.dropFirst(), console)
    }
  }

  private static func run(
    _ command: any Command, _ words: ArraySlice<String>, _ console: Console
  ) throws -> ExitCode {
    guard !words.prefix(while: { $0 != "--" }).contains(where: Option.asksForHelp) else {
      try console.write(command.help(width: console.outputTerminal.textWidth))
      return .success
    }
    return try command.run(Arguments(words, of: command), console)
  }

  private static func help(_ names: [String], _ console: Console) throws -> ExitCode {
    let width = console.outputTerminal.textWidth
    try console.write(names.first.map { try command($0).help(width: width) } ?? help(width: width))
    return .success
  }

  private static func command(_ name: String) throws -> any Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    throw UsageError.unknown(name.hasPrefix("-") ? "option" : "command", name, commands.map(\.name))
  }
}
