/// The parts of an object of a schema that can nest in each other: the object itself, and each common table expression or
/// generated column in it.
struct SchemaParts {
  struct Part {
    /// The name of a common table expression or generated column; nil for the object.
    let name: [UInt8]?
    /// The number of levels of expressions.
    var levels = 0
    var selects = 0
    /// The number of constructs whose operands SQLite does not count when it bounds the depth of an expression.
    var unbounded = 0
    /// The number of rows of VALUES after the first.
    var rows = 0
    var hasWindow = false
    /// All words and names in the part.
    var words: Set<[UInt8]> = []
  }

  /// The parts; the first one is the object itself.
  private(set) var parts = [Part(name: nil)]
  private var lists: [List]

  /// Reads the tokens that follow the heading of an object.
  init(_ tokens: ArraySlice<SQLToken>, ofTable isTable: Bool) {
    lists = [List(part: 0, isDefinition: true)]
    for (index, token) in zip(tokens.indices, tokens) {
      if token.is(sign: "(") {
        openList(tokens[..<index], ofTable: isTable)
      } else if token.is(sign: ")") {
        if lists.count > 1 { closeList() }
      } else {
        read(token, after: index > tokens.startIndex ? tokens[index - 1] : nil)
      }
    }
    while !lists.isEmpty { closeList() }
  }

  /// Opens the list that follows these tokens.
  private mutating func openList(_ tokens: ArraySlice<SQLToken>, ofTable isTable: Bool) {
    let outer = lists.last!
    let name = definedName(tokens, hasColumns: isTable && lists.count == 2)
    if name != nil { parts.append(Part(name: name)) }
    let part = name == nil ? outer.part : parts.count - 1
    let rest = tokens.suffix(4)
    if rest.last?.isName == true,
      rest.dropLast().last?.is("in") == true || rest.first?.is("in") == true
    {
      // The arguments of a table-valued function after IN are in a subquery.
      parts[part].selects += 1
      parts[part].unbounded += 1
    }
    lists.append(
      List(
        part: part, isDefinition: name != nil, start: tokens.endIndex,
        nestsItems: outer.nestsItems || tokens.last?.is("using") == true,
        canBeRow: tokens.last.map(Self.canPrecedeRow) ?? true))
  }

  /// Whether a list after this token can be a row value, whose depth SQLite does not count.
  private static func canPrecedeRow(_ token: SQLToken) -> Bool {
    !token.isName || (token.kind == .word && rowPrefixes.contains(token.content))
  }

  /// Returns the name that the following list defines, which ends the tokens with AS; nil if it defines none.
  private func definedName(_ tokens: ArraySlice<SQLToken>, hasColumns: Bool) -> [UInt8]? {
    var tokens = tokens
    if tokens.last?.is("materialized") == true { tokens = tokens.dropLast() }
    if tokens.last?.is("not") == true { tokens = tokens.dropLast() }
    guard tokens.last?.is("as") == true else { return nil }
    tokens = tokens.dropLast()
    if hasColumns { return lists.last!.firstName }
    if tokens.last?.is(sign: ")") == true {
      tokens = tokens[..<(lists.last!.lastList ?? tokens.startIndex)]
    }
    guard let token = tokens.last, token.isName else { return nil }
    return token.contentWithoutCase
  }

  private mutating func read(_ token: SQLToken, after previous: SQLToken?) {
    let part = lists.last!.part
    if token.isName, token.kind != .string || lists.last!.canBeTable(after: previous) {
      parts[part].words.insert(token.contentWithoutCase)
    }
    if token.kind == .word {
      if token.is("select") || token.is("values") { parts[part].selects += 1 }
      if Self.unboundedWords.contains(token.content) { parts[part].unbounded += 1 }
      if token.is("over") { parts[part].hasWindow = true }
    }
    if token.is(sign: ","), previous?.is(sign: ")") == true, lists.last!.isInValues {
      parts[part].rows += 1
    }
    lists[lists.count - 1].read(token, after: previous)
  }

  private mutating func closeList() {
    let list = lists.removeLast()
    let levels = list.levels
    if list.canBeRow, list.hasComma { parts[list.part].unbounded += 1 }
    if list.isDefinition {
      parts[list.part].levels += levels
    } else {
      lists[lists.count - 1].add(levels + 1, from: list.start)
    }
  }
}

extension SchemaParts {
  private static let unboundedWords = keywords("collate conflict cast over filter order")
  private static let rowPrefixes = List.clauses.union(List.operators)
    .union(keywords("all as by check default distinct else escape offset then when"))
    .subtracting(keywords("in values"))
}

private func keywords(_ list: String) -> Set<[UInt8]> {
  Set(list.split(separator: " ").map { Array($0.utf8) })
}

/// The content of two parentheses, or of a whole object.
private struct List {
  let part: Int
  /// Whether the list is a whole part.
  let isDefinition: Bool
  /// The index of the opening parenthesis.
  let start: Int
  /// The index of the opening parenthesis of the last list in this one.
  private(set) var lastList: Int?
  /// The first name of the current item.
  private(set) var firstName: [UInt8]?

  /// The most levels of a statement in the list.
  private var ofStatements = 0
  /// The sum of the levels of the clauses of the current statement.
  private var ofClauses = 0
  /// The most levels of an item of the current clause.
  private var ofItems = 0
  private var operators = 0
  private var ofLists = 0
  /// Whether the items become one expression, as the conditions of all joins do.
  private(set) var nestsItems: Bool
  /// Whether the items are the rows of VALUES.
  private(set) var isInValues = false
  /// Whether the list is a row value if it has several items.
  let canBeRow: Bool
  private(set) var hasComma = false

  init(
    part: Int, isDefinition: Bool, start: Int = 0, nestsItems: Bool = false, canBeRow: Bool = false
  ) {
    self.part = part
    self.isDefinition = isDefinition
    self.start = start
    self.nestsItems = nestsItems
    self.canBeRow = canBeRow
  }

  /// Whether a text after this token can be the name of a table.
  func canBeTable(after token: SQLToken?) -> Bool {
    guard let token else { return true }
    return token.is(sign: ".") || Self.tablePrefixes.contains(token.content)
      || (nestsItems && token.kind == .sign)
  }

  /// The number of levels of the list.
  var levels: Int { max(ofStatements, ofClauses + max(ofItems, operators + ofLists)) }

  /// Adds a list within this one.
  mutating func add(_ levels: Int, from start: Int) {
    lastList = start
    ofLists = nestsItems ? ofLists + levels : max(ofLists, levels)
  }

  mutating func read(_ token: SQLToken, after previous: SQLToken?) {
    if firstName == nil, token.isName { firstName = token.contentWithoutCase }
    if token.is(sign: ";") {
      ofStatements = levels
      (ofClauses, ofItems, operators, ofLists) = (0, 0, 0, 0)
      (nestsItems, isInValues) = (false, false)
    } else if token.kind == .word, Self.clauses.contains(token.content) {
      ofClauses += max(ofItems, operators + ofLists)
      (ofItems, operators, ofLists) = (0, 0, 0)
      nestsItems = token.is("from")
      isInValues = token.is("values")
    } else if token.is(sign: ",") {
      hasComma = true
      if nestsItems {
        operators += 1
      } else {
        ofItems = max(ofItems, operators + ofLists)
        (operators, ofLists) = (0, 0)
      }
      firstName = nil
    } else if isOperator(token, after: previous) {
      operators += 1
    } else if token.is("natural") {
      operators += 30
    }
  }

  private func isOperator(_ token: SQLToken, after previous: SQLToken?) -> Bool {
    switch token.kind {
    case .word: return Self.operators.contains(token.content)
    case .sign:
      guard !token.is(sign: ".") else { return false }
      let canFollowOperator = token.is(sign: "-") || token.is(sign: "+") || token.is(sign: "~")
      return canFollowOperator || previous?.kind != .sign || previous?.is(sign: ")") == true
    default: return false
    }
  }

  static let operators = keywords(
    "and between case collate exists glob if iif in is isnull like match not notnull on or regexp")
  // A word that can also be a name, such as WINDOW, must not be among them.
  static let clauses = keywords(
    "except from group having intersect limit order select set union values where")
  private static let tablePrefixes = keywords(
    "abort fail from ignore in into join replace rollback update")
}
