/// The parts of an object of a schema that can nest in each other: the object itself, and each common table expression or
/// generated column in it.
struct SchemaParts {
  struct Part {
    /// The name of a common table expression or generated column; nil for the object.
    let name: String?
    /// The number of levels of expressions.
    var levels = 0
    var selects = 0
    /// The number of clauses in expressions and statements whose nesting SQLite does not bound.
    var unbounded = 0
    /// All words and names in the part.
    var words: Set<String> = []
  }

  /// The parts; the first one is the object itself.
  private(set) var parts = [Part(name: nil)]
  private var lists: [List]

  /// Reads the tokens that follow the heading of an object.
  init(_ tokens: ArraySlice<SQLToken>, ofTable isTable: Bool) {
    lists = [List(part: 0, isDefinition: true)]
    for (index, token) in zip(tokens.indices, tokens) {
      if token.is(sign: "(") {
        let name = definedName(tokens[..<index], hasColumns: isTable && lists.count == 2)
        if name != nil { parts.append(Part(name: name)) }
        let part = name == nil ? lists.last!.part : parts.count - 1
        let isUsing = index > tokens.startIndex && tokens[index - 1].is("using")
        lists.append(
          List(part: part, isDefinition: name != nil, start: index, nestsItems: isUsing))
      } else if token.is(sign: ")") {
        if lists.count > 1 { closeList() }
      } else {
        read(token, after: index > tokens.startIndex ? tokens[index - 1] : nil)
      }
    }
    while !lists.isEmpty { closeList() }
  }

  /// Returns the name that the following list defines, which ends the tokens with AS; nil if it defines none.
  private func definedName(_ tokens: ArraySlice<SQLToken>, hasColumns: Bool) -> String? {
    var tokens = tokens
    if tokens.last?.is("materialized") == true { tokens.removeLast() }
    if tokens.last?.is("not") == true { tokens.removeLast() }
    guard tokens.last?.is("as") == true else { return nil }
    tokens.removeLast()
    if hasColumns { return lists.last!.firstName }
    if tokens.last?.is(sign: ")") == true {
      tokens = tokens[..<(lists.last!.lastList ?? tokens.startIndex)]
    }
    guard let token = tokens.last, token.isName else { return nil }
    return token.name.withoutCase
  }

  private mutating func read(_ token: SQLToken, after previous: SQLToken?) {
    let part = lists.last!.part
    if token.isName { parts[part].words.insert(token.name.withoutCase) }
    if token.is("select") || token.is("values") { parts[part].selects += 1 }
    if token.is("collate") || token.is("conflict") { parts[part].unbounded += 1 }
    lists[lists.count - 1].read(token, after: previous)
  }

  private mutating func closeList() {
    let list = lists.removeLast()
    let levels = list.levels
    if list.isDefinition {
      parts[list.part].levels += levels
    } else {
      lists[lists.count - 1].add(levels + 1, from: list.start)
    }
  }
}

/// What is between two parentheses.
private struct List {
  let part: Int
  /// Whether the list is a whole part.
  let isDefinition: Bool
  /// The index of the opening parenthesis.
  let start: Int
  /// The index of the opening parenthesis of the last list in this one.
  private(set) var lastList: Int?
  /// The first name of the current item.
  private(set) var firstName: String?

  /// The most levels of a statement in the list.
  private var ofStatements = 0
  /// The sum of the levels of the clauses of the current statement.
  private var ofClauses = 0
  /// The most levels of an item of the current clause.
  private var ofItems = 0
  private var operators = 0
  private var ofLists = 0
  /// Whether the items become one expression.
  private var nestsItems: Bool

  init(part: Int, isDefinition: Bool, start: Int = 0, nestsItems: Bool = false) {
    self.part = part
    self.isDefinition = isDefinition
    self.start = start
    self.nestsItems = nestsItems
  }

  /// The number of levels of the list.
  var levels: Int { max(ofStatements, ofClauses + max(ofItems, operators + ofLists)) }

  /// Adds a list within this one.
  mutating func add(_ levels: Int, from start: Int) {
    lastList = start
    ofLists = nestsItems ? ofLists + levels : max(ofLists, levels)
  }

  mutating func read(_ token: SQLToken, after previous: SQLToken?) {
    if token.is(sign: ";") {
      ofStatements = levels
      (ofClauses, ofItems, operators, ofLists, nestsItems) = (0, 0, 0, 0, false)
    } else if token.kind == .word, Self.clauses.contains(token.name) {
      ofClauses += max(ofItems, operators + ofLists)
      (ofItems, operators, ofLists) = (0, 0, 0)
      // The conditions of all joins become one expression.
      nestsItems = token.is("from")
    } else if token.is(sign: ",") {
      if nestsItems {
        operators += 1
      } else {
        ofItems = max(ofItems, operators + ofLists)
        (operators, ofLists) = (0, 0)
      }
      firstName = nil
    } else {
      if firstName == nil, token.isName { firstName = token.name.withoutCase }
      if isOperator(token, after: previous) { operators += 1 }
      if token.is("natural") { operators += 30 }
    }
  }

  private func isOperator(_ token: SQLToken, after previous: SQLToken?) -> Bool {
    switch token.kind {
    case .word: return Self.operators.contains(token.name)
    case .sign:
      guard !token.is(sign: ".") else { return false }
      let canFollowOperator = token.is(sign: "-") || token.is(sign: "+") || token.is(sign: "~")
      return canFollowOperator || previous?.kind != .sign || previous?.is(sign: ")") == true
    default: return false
    }
  }

  private static let operators: Set = [
    "and", "between", "case", "collate", "exists", "glob", "in", "is", "isnull", "like", "match",
    "not", "notnull",
    "on", "or", "regexp",
  ]
  private static let clauses: Set = [
    "except", "from", "group", "having", "intersect", "limit", "order", "returning", "select",
    "set", "union",
    "values", "where", "window",
  ]
}
