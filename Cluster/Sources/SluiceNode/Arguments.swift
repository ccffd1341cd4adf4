import SluiceCluster

/// The parsed arguments of a command.
struct Arguments {
  /// The arguments that are not options, in order.
  private(set) var operands: [String] = []
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
      if word.hasPrefix("-") { try take(word, &rest) } else { operands.append(word) }
    }
    guard command.operands.isEmpty == operands.isEmpty else {
      throw usageError(
        operands.isEmpty
          ? "\(command.operands) is missing" : "\"\(operands[0])\" is an unexpected argument")
    }
  }

  /// Returns whether an option was given.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// Returns the value of an option; nil if the option was not given.
  func value(of option: Option) -> String? { values[option.name]?.last }

  /// Returns the values of an option that can be repeated, in order.
  func values(of option: Option) -> [String] { values[option.name] ?? [] }

  /// Returns the value of an option, and throws if the option was not given.
  func required(_ option: Option) throws -> String {
    guard let value = value(of: option) else { throw missing(option) }
    return value
  }

  /// Returns the value of an option as an integer in a range; nil if the option was not given.
  func number<T: FixedWidthInteger>(of option: Option, in range: ClosedRange<T>) throws -> T? {
    guard let text = value(of: option) else { return nil }
    guard let number = T(text), range.contains(number) else {
      throw usageError(
        "\(option.name) must be an integer from \(range.lowerBound) to \(range.upperBound) "
          + "(got \"\(text)\")")
    }
    return number
  }

  /// Returns the operands as addresses, without duplicates.
  func addresses() throws -> [NodeAddress] {
    var addresses: [NodeAddress] = []
    for text in operands.flatMap({ $0.split(separator: ",") }) {
      guard let address = NodeAddress(String(text)) else {
        throw usageError(
          "An address consists of an IPv4 address and a port, such as 127.0.0.1:9001, or is the "
            + "absolute path of a door's socket (got \"\(text)\")"
        )
      }
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses
  }

  /// Returns an error because an option was not given.
  func missing(_ option: Option) -> UsageError { usageError("\(option.name) is missing") }

  /// Returns an error with the reason why the arguments are invalid.
  func usageError(_ message: String) -> UsageError {
    UsageError(message: message, command: command)
  }
}

extension Arguments {
  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.allOptions.first(where: { $0.name == name }) else {
      throw usageError("There is no option \(name)")
    }
    guard option.repeats || values[name] == nil else {
      throw usageError("\(name) can be given only once")
    }
    guard option.value != nil else {
      guard parts.count == 1 else { throw usageError("\(name) does not take a value") }
      values[name] = []
      return
    }
    if parts.count == 2 {
      values[name, default: []].append(String(parts[1]))
    } else if let next = rest.first, !next.hasPrefix("-") {
      values[name, default: []].append(next)
      rest.removeFirst()
    } else {
      throw usageError("\(name) needs a value")
    }
  }
}
