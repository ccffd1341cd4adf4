import Sluice

/// The parameters of a statement, with the numbers that SQLite assigns to them.
struct StatementParameters {
  private(set) var all: [ClusterStatement.Parameter] = []
  /// The numbers of the parameters whose values are arrays.
  private(set) var arrays: Set<Int> = []
  /// The statement without calls of `array`.
  let sent: StatementText

  init(_ text: StatementText) throws {
    let calls = Self.calls(in: text.tokens)
    sent = calls.isEmpty ? text : text.replacing(calls.map(\.range), by: { Self.elements(of: $0) })
    let isArray = Set(calls.map(\.parameter.range.lowerBound))
    var others: Set<Int> = []
    var numbers: [[UInt8]: Int] = [:]
    for token in text.tokens where token.kind == .parameter {
      let number = try number(of: token, &numbers, text)
      if isArray.contains(token.range.lowerBound) {
        arrays.insert(number)
      } else {
        others.insert(number)
      }
    }
    guard arrays.isDisjoint(with: others) else {
      throw text.error(.misuse, "A parameter of array cannot be used elsewhere in the statement")
    }
  }

  /// Returns the number of a parameter, and adds the parameter if it is new.
  private mutating func number(
    of token: SQLToken, _ numbers: inout [[UInt8]: Int], _ text: StatementText
  ) throws -> Int {
    let maximum = ClusterStatement.maximumParameterCount
    let written = text[token.range]
    if token.content.first == UInt8(ascii: "?") {
      let isNumbered = token.content.count > 1
      let number = isNumbered ? Int(written.dropFirst()) ?? 0 : all.count + 1
      guard (1...maximum).contains(number) else {
        throw text.error(
          .range, isNumbered ? "\(written) must be between ?1 and ?\(maximum)" : Self.tooMany,
          at: token)
      }
      if number > all.count {
        all += Array(repeating: .gap, count: number - all.count)
        all[number - 1] = isNumbered ? .numbered(written) : .unnamed
      } else if isNumbered, all[number - 1] == .gap || all[number - 1] == .unnamed {
        all[number - 1] = .numbered(written)
      }
      return number
    }
    if let number = numbers[token.content] { return number }
    guard all.count < maximum else { throw text.error(.range, Self.tooMany, at: token) }
    all.append(.named(written))
    numbers[token.content] = all.count
    return all.count
  }

  private static let tooMany =
    "A statement for a cluster can have at most \(ClusterStatement.maximumParameterCount) parameters"
}

/// Calls of the table-valued function `array`, which nodes do not have.
extension StatementParameters {
  private typealias Call = (range: Range<Int>, parameter: SQLToken)

  /// Returns the calls of `array` whose only argument is a parameter.
  private static func calls(in tokens: [SQLToken]) -> [Call] {
    tokens.indices.dropLast(3).compactMap { index in
      let (name, parameter) = (tokens[index], tokens[index + 2])
      guard name.names("array") || name.names("sluice_array"), name.kind != .string,
        tokens[index + 1].is(sign: "("), parameter.kind == .parameter,
        tokens[index + 3].is(sign: ")"), index == 0 || !tokens[index - 1].is(sign: ".")
      else { return nil }
      return (name.range.lowerBound..<tokens[index + 3].range.upperBound, parameter)
    }
  }

  /// Returns the query that replaces a call; the call has only one parameter.
  private static func elements(of call: String) -> String {
    let parameter = SQLScanner(Array(call.utf8)[...], readsParameters: true)
    let tokens = IteratorSequence(parameter).filter { $0.kind == .parameter }
    let text = tokens.first.map { String(decoding: $0.content, as: UTF8.self) } ?? "NULL"
    return "(SELECT value FROM json_each(\(text)))"
  }
}
