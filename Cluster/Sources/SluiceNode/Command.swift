/// A command of the program.
protocol Command: Sendable {
  /// The word that selects the command.
  var name: String { get }
  /// A one-line description.
  var summary: String { get }
  /// The arguments that are not options, as the usage line shows them; empty if the command takes none.
  var operands: String { get }
  /// The options, except `--help`.
  var options: [Option] { get }
  /// Additional help, in lines of at most 100 characters.
  var details: String { get }

  /// Runs the command; its errors are reported on standard error.
  func run(_ arguments: Arguments) throws -> ExitCode
}

extension Command {
  /// The options, and `--keys` if the command connects to nodes.
  var allOptions: [Option] {
    let connects = operands == "ADDRESS…" && !options.contains { $0.name == Option.keys.name }
    return options + (connects ? [.keys] : [])
  }
}

/// An argument that begins with `--`, which may be followed by a value.
struct Option: Sendable {
  /// The name, including the hyphens.
  let name: String
  /// The name of the value in the help; nil if the option has no value.
  var value: String?
  let help: String
  /// Whether the option can be repeated.
  var repeats = false

  static let help = Option(name: "--help", help: "Show this text.")
}

/// The exit code of the program.
enum ExitCode: Int32, Sendable {
  case success = 0
  /// The command succeeded, and found a problem: no leader, or a member that cannot be reached.
  case found = 1
  /// The arguments are invalid.
  case usage = 2
  /// A node, the network or a file operation failed.
  case failure = 3
}

/// An error that is reported to the user on one line.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An error in the arguments.
struct UsageError: Error {
  let message: String
  var command: (any Command)?
}
