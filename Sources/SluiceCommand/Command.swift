/// A command of the program.
package protocol Command: Sendable {
  /// The word that calls it.
  var name: String { get }
  /// A description in one line.
  var summary: String { get }
  /// The arguments behind the name, in order.
  var operands: [Operand] { get }
  /// The options, beside `--help`.
  var options: [Option] { get }
  /// More help, in lines of at most 90 characters.
  var details: String { get }

  /// Does the work. What throws is told on the standard error.
  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode
}

/// A word behind the name of a command that is no option.
package struct Operand: Sendable {
  /// The name in the help, in capitals.
  package let name: String
  let help: String
  var isRequired = true
}

/// A word that begins with `--`, with a value behind it if it takes one.
package struct Option: Sendable {
  /// With the hyphens.
  package let name: String
  /// The name of its value in the help, or nil if it takes none.
  var value: String?
  let help: String
  /// Whether it can be there several times.
  var repeats = false

  package static let json = Option(
    name: "--json", help: "Write the result as one line of JSON.")

  static func asksForHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }
}
