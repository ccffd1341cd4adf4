/// The options and arguments of the command line.
struct Options {
  /// The folder that is searched.
  var folder = "."
  /// The database file, or nil for the usual one inside the folder.
  var database: String?
  /// How many results are shown.
  var limit = 20
  /// How many files are written in one transaction.
  var filesPerBatch = 64
  /// Whether what was indexed before is forgotten.
  var startsAfresh = false
  /// Whether the program goes on, and tells what changes.
  var watches = false
  var showsHelp = false
  /// The words of the search; if there are none, the program updates the index and describes it.
  var words: [String] = []
}

/// The command line makes no sense; the user is told why.
struct UsageError: Error {
  let message: String
}

extension Options {
  /// Reads the arguments that follow the name of the program.
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
        throw UsageError(message: "\(name) needs a whole number from 1 on, not \"\(text)\"")
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
    case "--help" where parts.count == 1, "-h" where parts.count == 1: showsHelp = true
    case "--reindex", "--watch", "--help", "-h": throw UsageError(message: "\(name) takes no value")
    default: throw UsageError(message: "There is no option \(name)")
    }
  }
}
