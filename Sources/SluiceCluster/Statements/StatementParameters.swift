import Sluice

/// The parameters of a statement, with the numbers that SQLite assigns to them.
struct StatementParameters {
  private(set) var all: [ClusterStatement.Parameter] = []
  private(set) var calls: [ClusterStatement.ArrayCall] = []
  /// The statement without calls of `array`.
  let sent: StatementText
  private var numbers: [[UInt8]: Int] = [:]

  init(_ text: StatementText) throws {
    let calls = Self.calls(in: text.tokens)
    sent = text.replacing(calls.map { ($0.range, Self.elements($0.parameter)) })
    var others: Set<Int> = []
    for token in text.tokens where token.kind == .parameter {
      let number = try number(of: token, text)
      guard
        let call = calls.first(where: { $0.parameter == token && $0.parameter.range == token.range }
        )
      else {
        others.insert(number)
        continue
      }
      self.calls.append(
        .init(parameter: number, original: text[call.range], sent: Self.elements(token)))
    }
    guard others.isDisjoint(with: self.calls.map(\.parameter)) else {
      throw text.error(.misuse, "A parameter of array cannot be used elsewhere in the statement")
    }
  }

  /// Returns the number of a parameter, and adds the parameter if it is new.
  private mutating func number(
    of token: SQLToken, _ text: StatementText
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

  /// Returns the query that replaces a call with this parameter.
  private static func elements(_ parameter: SQLToken) -> String {
    "(SELECT value FROM json_each(\(String(decoding: parameter.content, as: UTF8.self))))"
  }
}
