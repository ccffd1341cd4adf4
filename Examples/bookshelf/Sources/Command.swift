/// A command with its arguments.
enum Command: Equatable {
  case add(title: String, author: String)
  case finish(Int, stars: Int?)
  case list
  case find(String)
  case watch

  /// Creates a command from the arguments that follow the file.
  init(_ arguments: some Sequence<String>) throws {
    let words = Array(arguments)
    switch (words[0], words.count) {
    case ("add", 3): self = .add(title: words[1], author: words[2])
    case ("finish", 2): self = .finish(try Self.number(words[1]), stars: nil)
    case ("finish", 3):
      self = .finish(try Self.number(words[1]), stars: try Self.number(words[2]))
    case ("list", 1): self = .list
    case ("find", 2...): self = .find(words.dropFirst().joined(separator: " "))
    case ("watch", 1): self = .watch
    default: throw UsageError("\(words.joined(separator: " ")) is not a command")
    }
  }

  private static func number(_ word: String) throws -> Int {
    guard let number = Int(word) else { throw UsageError("\(word) is not a number") }
    return number
  }
}

/// An invalid command line, with a message for the user.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}
