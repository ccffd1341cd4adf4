import SluiceSQL

/// The parsed arguments of a command.
package struct Arguments {
  /// The arguments that are not options, in order.
  package private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private let command: any Command

  init(_ words: some Sequence<String>, of command: any Command) throws {
    self.command = command
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      // A single hyphen stands for standard input.
      if word.hasPrefix("-"), word != "-" {
        try take(word, &rest)
      } else {
        operands.append(word)
      }
    }
    try checkOperands()
  }

  /// Returns whether an option was given.
  package func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// Returns the value of an option; nil if the option was not given.
  package func value(of option: Option) -> String? { values[option.name]?.last }

  /// Returns the values of an option that can be repeated, in order.
  package func values(of option: Option) -> [String] { values[option.name] ?? [] }

  /// Returns the value of an option as an integer; nil if the option was not given, throws if it is below
  /// `first`.
  package func number(of option: Option, from first: Int = 0) throws -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), number >= first else {
      throw usageError("\(option.name) must be an integer of at least \(first) (got \"\(text)\")")
    }
    return number
  }

  /// Returns the meaning of an option's value, which is one of the option's words; nil if the option was not given.
  func meaning<Meaning>(
    of option: Option, _ parse: (String) -> Meaning?
  ) throws -> Meaning? {
    guard let word = value(of: option) else { return nil }
    if let meaning = parse(word) { return meaning }
    let words = option.words
    let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    throw usageError(
      "\(option.name) must be \(list) (got \"\(word)\")" + suggestion(for: word, among: words))
  }

  /// Returns an error with the reason why the arguments are invalid.
  package func usageError(_ message: String) -> UsageError { UsageError(message, command) }
}

extension Arguments {
  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.options.first(where: { $0.name == name }) else {
      throw UsageError.unknown("option", name, command.options.map(\.name) + ["--help"], command)
    }
    guard option.repeats || values[name] == nil else {
      throw usageError("\(name) can be given only once")
    }
    guard option.value != nil else {
      guard parts.count == 1 else { throw usageError("\(name) does not take a value") }
      values[name] = []
      return
    }
    values[name, default: []].append(try value(of: name, parts.count == 2 ? parts[1] : nil, &rest))
  }

  private func value(
    of name: String, _ attached: Substring?, _ rest: inout ArraySlice<String>
  ) throws -> String {
    if let attached { return String(attached) }
    guard let next = rest.first else { throw usageError("\(name) needs a value") }
    // A word that begins with a hyphen is probably the next option, so the value is missing.
    guard next == "-" || !next.hasPrefix("-") else {
      throw usageError(
        "\(name) needs a value; to pass one that begins with a hyphen, write \(name)=\(next)")
    }
    rest.removeFirst()
    return next
  }

  private func checkOperands() throws {
    let missing = command.operands.dropFirst(operands.count).first { $0.isRequired }
    if let missing { throw usageError("\(missing.name) is missing") }
    guard operands.count <= command.operands.count else {
      throw usageError("\"\(operands[command.operands.count])\" is an unexpected argument")
    }
  }
}
