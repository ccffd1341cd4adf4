import Sluice

/// The expressions in the text of a query that an index could be sorted by.
///
/// Such an expression has only columns of one table, literals, operators and calls of functions. A call that reads no
/// column is excluded, because its result may change, as that of `random()`, and so are the modifiers of dates whose
/// result depends on the time or the machine. SQLite decides about everything else when it creates the index.
struct QueryExpressions {
  /// The maximum number of expressions of a query.
  ///
  /// Of more expressions, the last ones are taken, because conditions and orders follow the results.
  static let maximumCount = 16

  /// The expressions in the order of the text, each of them once.
  private(set) var all: [CandidateExpression] = []
  /// The expressions with which parameters are compared, by the index of the parameter, which starts at 1.
  private(set) var comparisons: [Int: CandidateExpression] = [:]

  private let text: [UInt8]
  private let tokens: [SQLToken]
  private let columns: Set<[UInt8]>
  private let excluded: Set<[UInt8]>
  /// The index of the token that closes a parenthesis or ends a CASE, by the index of the token that begins it.
  private let ends: [Int: Int]
  /// The indexes of the parameters, by the index of their token.
  private let numbers: [Int: Int]
  /// For each token, the end of the operand that begins there; nil if an index cannot contain it.
  private var operandEnds: [Int?]

  /// Reads the expressions of a query that reads the columns, except those that call excluded functions.
  init(_ sql: String, columns: Set<[UInt8]>, excluding excluded: Set<[UInt8]>) {
    text = Array(sql.utf8)
    self.columns = columns
    self.excluded = excluded
    var scanner = SQLScanner(text[...], readsParameters: true)
    var tokens: [SQLToken] = []
    while let token = scanner.next() { tokens.append(token) }
    self.tokens = tokens
    ends = Self.ends(tokens)
    numbers = Self.numbers(tokens)
    operandEnds = tokens.map { _ in nil }
    // An operand consists of operands that begin after it.
    for start in tokens.indices.reversed() { operandEnds[start] = readOperand(start) }
    for start in tokens.indices where isBeginning(start) {
      if let end = endOfChain(start) { add(start..<end) }
      if let end = endOfComparison(start) { add(start..<end) }
    }
    all = Array(all.suffix(Self.maximumCount))
  }

  private static func ends(_ tokens: [SQLToken]) -> [Int: Int] {
    var ends: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      let isOpen = token.is(sign: "(") || token.is("case")
      if isOpen { open.append(index) }
      if token.is(sign: ")") || token.is("end"), let start = open.popLast() { ends[start] = index }
    }
    return ends
  }

  private mutating func add(_ range: Range<Int>) {
    let names = tokens[range].indices.filter { isColumn($0) }
    let tables = Set(names.filter { $0 > 1 && tokens[$0 - 1].is(sign: ".") }.map { tokens[$0 - 2] })
    guard !names.isEmpty, tables.count <= 1,
      let expression = CandidateExpression(tokens[range], of: text)
    else { return }
    all.removeAll { $0 == expression }
    all.append(expression)
    for parameter in parameters(comparedWith: range) where comparisons[parameter] == nil {
      comparisons[parameter] = expression
    }
  }
}

extension QueryExpressions {
  private func token(_ index: Int) -> SQLToken? {
    tokens.indices.contains(index) ? tokens[index] : nil
  }

  private func has(_ index: Int, sign: Unicode.Scalar) -> Bool {
    token(index)?.is(sign: sign) == true
  }

  private func isOne(of words: [StaticString], _ index: Int) -> Bool {
    token(index).map { token in words.contains { token.is($0) } } == true
  }

  /// Returns whether two tokens form one operator.
  private func hasPair(_ index: Int, _ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
    has(index, sign: first) && has(index + 1, sign: second)
      && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
  }

  /// Returns whether the token can begin an expression that is not the operand of another one.
  private func isBeginning(_ index: Int) -> Bool {
    !".+-*/%&|~".unicodeScalars.contains { has(index - 1, sign: $0) }
  }

  private func isColumn(_ index: Int) -> Bool {
    guard let token = token(index) else { return false }
    return (token.kind == .word || token.kind == .name) && columns.contains(token.content)
      && !has(index + 1, sign: "(") && !has(index + 1, sign: ".")
  }

  /// Returns the end of operands with operators between them; nil if one of them is impossible in an index.
  private func endOfChain(_ start: Int) -> Int? {
    guard var end = endOfOperand(start) else { return nil }
    while let next = endOfOperator(end) {
      guard let operand = endOfOperand(next) else { return nil }
      end = operand
    }
    return end
  }

  private func endOfOperator(_ index: Int) -> Int? {
    if hasPair(index, "-", ">") { return has(index + 2, sign: ">") ? index + 3 : index + 2 }
    if hasPair(index, "|", "|") || hasPair(index, "<", "<") || hasPair(index, ">", ">") {
      return index + 2
    }
    return "+-*/%&|".unicodeScalars.contains { has(index, sign: $0) } ? index + 1 : nil
  }

  private func endOfOperand(_ start: Int) -> Int? {
    operandEnds.indices.contains(start) ? operandEnds[start] : nil
  }

  private func readOperand(_ start: Int) -> Int? {
    let token = tokens[start]
    switch token.kind {
    case .number, .blob: return start + 1
    case .string:
      return Self.changingModifiers.contains(token.name.withoutCase) ? nil : start + 1
    case .parameter: return nil
    case .sign:
      if token.is(sign: "(") { return endOfGroup(start) }
      return "+-~".unicodeScalars.contains { token.is(sign: $0) } ? endOfOperand(start + 1) : nil
    case .word, .name:
      if token.is("case") { return endOfGroup(start) }
      if has(start + 1, sign: "(") { return endOfCall(start) }
      if isColumn(start) { return start + 1 }
      if has(start + 1, sign: ".") { return endOfQualified(start) }
      return isOne(of: ["null", "true", "false"], start) ? start + 1 : nil
    }
  }

  /// Returns the end of a column that follows the name of its table, which can follow that of a database.
  private func endOfQualified(_ start: Int) -> Int? {
    let column = has(start + 3, sign: ".") ? start + 4 : start + 2
    return isColumn(column) ? column + 1 : nil
  }

  /// Returns the end of an expression in parentheses, or of a CASE.
  private func endOfGroup(_ start: Int) -> Int? {
    guard let end = ends[start], isPossible(start + 1..<end, isList: false) else { return nil }
    return end + 1
  }

  private func endOfCall(_ start: Int) -> Int? {
    guard let end = ends[start + 1], start + 2 < end else { return nil }
    if tokens[start].is("cast") {
      return endOfChain(start + 2).flatMap { isOne(of: ["as"], $0) ? end + 1 : nil }
    }
    let isFunction =
      tokens[start].kind == .name || !SQLiteLibrary.isKeyword(tokens[start].name)
      || isOne(of: ["replace", "if"], start)
    guard isFunction, !excluded.contains(tokens[start].content),
      tokens[start..<end].indices.contains(where: isColumn),
      isPossible(start + 2..<end, isList: true),
      !isOne(of: ["over", "filter"], end + 1)
    else { return nil }
    return end + 1
  }

  /// Returns whether an index can contain the tokens in parentheses; only a list has commas.
  private func isPossible(_ range: Range<Int>, isList: Bool) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      if let end = endOfOperand(index) {
        index = end
      } else if isOne(of: ["collate"], index) {
        index += 2
      } else if isOne(of: ["in"], index), let end = ends[index + 1],
        isPossible(index + 2..<end, isList: true)
      {
        index = end + 1
      } else if isOne(of: Self.operators, index) || (isList && has(index, sign: ","))
        || "=<>!+-*/%&|".unicodeScalars.contains(where: { has(index, sign: $0) })
      {
        index += 1
      } else {
        return false
      }
    }
    return true
  }

  /// Returns the end of a comparison that can be a result, an order or a group; nil if there is none.
  private func endOfComparison(_ start: Int) -> Int? {
    guard isOne(of: ["by", "select", "distinct"], start - 1) || has(start - 1, sign: ","),
      let end = endOfChain(start)
    else { return nil }
    if isOne(of: ["isnull", "notnull"], end) { return end + 1 }
    if isOne(of: ["not"], end), isOne(of: ["null"], end + 1) { return end + 2 }
    var next = end
    while isOne(of: ["is", "not"], next)
      || "=<>!".unicodeScalars.contains(where: { has(next, sign: $0) })
    {
      next += 1
    }
    return next > end ? endOfChain(next) : nil
  }

  /// The words that, as strings, make the result of a date function depend on the time or the machine.
  private static let changingModifiers: Set = ["now", "localtime", "utc"]

  private static let operators: [StaticString] = [
    "and", "or", "not", "is", "isnull", "notnull", "between", "like", "glob", "escape",
    "when", "then", "else", "distinct", "from",
  ]
}

extension QueryExpressions {
  /// Returns the indexes of the parameters with which the expression in a range is compared.
  private func parameters(comparedWith range: Range<Int>) -> [Int] {
    var before = range.lowerBound - 1
    while let token = token(before), isComparison(token) { before -= 1 }
    if before < range.lowerBound - 1, token(before)?.kind == .parameter {
      return [before].compactMap { numbers[$0] }
    }
    var index = range.upperBound
    if isOne(of: ["collate"], index) { index += 2 }
    let isBetween = isOne(of: ["between"], index)
    let start = index
    while let token = token(index), isComparison(token) { index += 1 }
    guard index > start else { return [] }
    // The parameter may be the argument of a function, such as `lower(:name)`.
    while has(index, sign: "(") || has(index + 1, sign: "(") { index += 1 }
    var parameters: [Int] = []
    while token(index)?.kind == .parameter {
      parameters += [index].compactMap { numbers[$0] }
      index += has(index + 1, sign: ",") || (isBetween && isOne(of: ["and"], index + 1)) ? 2 : 1
    }
    return parameters
  }

  private func isComparison(_ token: SQLToken) -> Bool {
    "=<>!".unicodeScalars.contains { token.is(sign: $0) }
      || token.is("is") || token.is("in") || token.is("between") || token.is("like")
  }

  /// Returns the indexes of the parameters, by the index of their token.
  private static func numbers(_ tokens: [SQLToken]) -> [Int: Int] {
    var numbers: [Int: Int] = [:]
    var named: [[UInt8]: Int] = [:]
    var last = 0
    for (index, token) in tokens.enumerated() where token.kind == .parameter {
      let isNumbered = token.content.first == UInt8(ascii: "?")
      let number =
        isNumbered ? Int(token.name.dropFirst()) ?? last + 1 : named[token.content] ?? last + 1
      named[token.content] = number
      last = max(last, number)
      numbers[index] = number
    }
    return numbers
  }
}
