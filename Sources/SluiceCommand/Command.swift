/// A command of the program.
package protocol Command: Sendable {
  /// The word that selects the command.
  var name: String { get }
  /// A one-line description.
  var summary: String { get }
  /// The arguments after the name, in order.
  var operands: [Operand] { get }
  /// The options, except `--help`.
  var options: [Option] { get }
  /// Additional help; an empty line begins a paragraph, and other line breaks have no meaning.
  var details: String { get }

  /// Runs the command; its errors are reported on standard error.
  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode
}

/// The values that an argument can have, which shells complete.
package enum ValueKind: Hashable, Sendable {
  case text
  case file
  case folder
  /// One of these words.
  case words([String])
}

/// An argument, other than an option, that follows the name of a command.
package struct Operand: Sendable {
  /// The name in the help, in capital letters.
  package let name: String
  var kind = ValueKind.text
  package let help: String
  var isRequired = true
}

/// An argument that begins with `--`, which may be followed by a value.
package struct Option: Sendable {
  /// The name, including the hyphens.
  package let name: String
  /// The name of the value in the help; nil if the option has no value.
  package var value: String?
  var kind = ValueKind.text
  package let help: String
  /// Whether the option can be repeated.
  var repeats = false

  static let help = Option(name: "--help", help: "Show this text.")

  package static let json = Option(
    name: "--json", help: "Write the result as one line of JSON.")

  /// The words that the value can be; empty if it is not one of a set.
  package var words: [String] {
    if case .words(let words) = kind { words } else { [] }
  }

  static func asksForHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }
}
