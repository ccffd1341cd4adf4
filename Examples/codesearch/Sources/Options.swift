/// The options and arguments of the command line.
struct Options {
  /// The folder to search.
  var folder = "."
  /// The database file; nil for the default file inside the folder.
  var database: String?
  /// The maximum number of results to show.
  var limit = 20
  /// The maximum number of files to write in one transaction.
  var filesPerBatch = 64
  /// Whether to discard the existing index.
  var startsAfresh = false
  /// Whether to keep running, and to show the results again after each change.
  var watches = false
  /// Whether to report each batch in a line, even on a terminal.
  var isVerbose = false
  var showsHelp = false
  /// The search words; without words, the program only updates the index and describes it.
  var words: [String] = []
}

/// An invalid command line, with a message for the user.
struct UsageError: Error {
  let message: String
}

extension Options {
  /// Creates options from the arguments that follow the program's name.
  init(arguments: some Sequence<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), argument != "-" else {
        words.append(argument)
        continue
      }
      guard argument != "--" else {
        words += rest
        break
      }
      try take(argument, &rest)
    }
    if words.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) { words = [] }
  }

  private mutating func take(
    _ argument: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    func value() throws(UsageError) -> String {
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
        throw UsageError(message: "\(name) needs a value")
      }
      return value
    }
    func number() throws(UsageError) -> Int {
      let text = try value()
      guard let number = Int(text), number > 0 else {
        throw UsageError(message: "\(name) must be a whole number of at least 1 (got \"\(text)\")")
      }
      return number
    }
    switch name {
    case "--folder", "-C": folder = try value()
    case "--database": database = try value()
    case "--limit": limit = try number()
    case "--batch": filesPerBatch = try number()
    case "--reindex" where parts.count == 1: startsAfresh = true
    case "--watch" where parts.count == 1: watches = true
    case "--verbose" where parts.count == 1: isVerbose = true
    case "--help" where parts.count == 1, "-h" where parts.count == 1: showsHelp = true
    case "--reindex", "--watch", "--verbose", "--help", "-h":
      throw UsageError(message: "\(name) does not take a value")
    default: throw UsageError(message: "There is no option \(name)")
    }
  }
}
