import Sluice

/// A parser that decides how a statement is sent, and refuses the statements that a node cannot run safely.
struct StatementReader {
  typealias Result = (
    kind: ClusterStatement.Kind, setting: ClusterStatement.Setting?, names: [String]?
  )

  private let text: StatementText
  private var rest: ArraySlice<SQLToken>

  init(_ text: StatementText) {
    self.text = text
    rest = text.tokens[...]
  }

  mutating func read() throws -> Result {
    for (index, token) in text.tokens.enumerated() where token.isName && token.kind != .string {
      if token.names("pragma_optimize") {
        throw refusal("pragma_optimize writes in a query; run ANALYZE instead", token)
      }
      if token.names("fts3_tokenizer"),
        text.tokens[index...].dropFirst().first?.is(sign: "(") == true
      {
        throw refusal("fts3_tokenizer accesses the memory of the node", token)
      }
    }
    return try readStatement()
  }

  private mutating func readStatement() throws -> Result {
    guard let first = rest.popFirst(), first.kind == .word else { return (.local, nil, nil) }
    switch first.name {
    case "select", "values": return (.read, nil, nil)
    case "insert", "replace", "update", "delete": return (writingKind, nil, nil)
    case "with": return (kindAfterWith, nil, nil)
    case "explain": return try readExplain()
    case "pragma": return try readPragma()
    case "create":
      try checkCreate()
      return (.write, nil, nil)
    case "vacuum":
      throw refusal(
        "A node cannot run VACUUM, which can end it; dump the database and restore it instead",
        first)
    case "alter", "drop", "reindex", "analyze": return (.write, nil, nil)
    case "attach", "detach":
      throw refusal("A node cannot attach or detach databases", first)
    default: return (.local, nil, nil)
    }
  }

  /// RETURNING is a reserved word, so it begins the clause wherever it is outside parentheses.
  private var writingKind: ClusterStatement.Kind {
    rest.outerIndexes.contains { rest[$0].is("returning") } ? .returning : .write
  }

  private var kindAfterWith: ClusterStatement.Kind {
    guard let verb = StatementReader.verb(afterWith: rest) else { return .local }
    switch rest[verb].name {
    case "select", "values": return .read
    default: return writingKind
    }
  }

  private mutating func readExplain() throws -> Result {
    if rest.first?.is("query") == true { rest = rest.dropFirst(2) }
    let isPragma = rest.first?.is("pragma") == true
    let explained = try readStatement()
    // EXPLAIN PRAGMA also executes the pragma.
    guard !isPragma || explained.kind == .read else {
      throw refusal("EXPLAIN cannot be used with a PRAGMA that has a value", nil)
    }
    return (explained.kind == .local ? .local : .read, nil, nil)
  }

  private func refusal(_ message: String, _ token: SQLToken?) -> SQLiteError {
    text.error(.authorization, message, at: token)
  }

  /// Returns the index of the word after the common table expressions that follow WITH; nil if there is none.
  ///
  /// The name of such an expression can be REPLACE, so the expressions must be read.
  static func verb(afterWith tokens: ArraySlice<SQLToken>) -> Int? {
    var rest = tokens
    if rest.first?.is("recursive") == true { rest.removeFirst() }
    while let name = rest.popFirst(), name.isName {
      if rest.first?.is(sign: "(") == true { skipParentheses(&rest) }
      guard rest.popFirst()?.is("as") == true else { return nil }
      if rest.first?.is("not") == true { rest.removeFirst() }
      if rest.first?.is("materialized") == true { rest.removeFirst() }
      guard rest.first?.is(sign: "(") == true else { return nil }
      skipParentheses(&rest)
      guard rest.first?.is(sign: ",") == true else { break }
      rest.removeFirst()
    }
    let verbs: [StaticString] = ["select", "values", "insert", "replace", "update", "delete"]
    return rest.first.flatMap { first in
      verbs.contains { first.is($0) } ? rest.startIndex : nil
    }
  }

  private static func skipParentheses(_ rest: inout ArraySlice<SQLToken>) {
    var depth = 0
    repeat {
      guard let token = rest.popFirst() else { return }
      depth += token.is(sign: "(") ? 1 : token.is(sign: ")") ? -1 : 0
    } while depth > 0
  }
}

/// CREATE and PRAGMA
extension StatementReader {
  /// Refuses temporary objects: they exist in one connection to one node, and vanish when another node takes over.
  private mutating func checkCreate() throws {
    if let temporary = rest.first, temporary.is("temp") || temporary.is("temporary") {
      throw temporaryRefusal(temporary)
    }
    if rest.first?.is("unique") == true || rest.first?.is("virtual") == true { rest.removeFirst() }
    rest = rest.dropFirst()
    if rest.first?.is("if") == true { rest = rest.dropFirst(3) }
    guard let database = rest.first, database.names("temp"),
      rest.dropFirst().first?.is(sign: ".") == true
    else { return }
    throw temporaryRefusal(database)
  }

  private func temporaryRefusal(_ token: SQLToken) -> SQLiteError {
    refusal("A temporary object would vanish when another node becomes the leader", token)
  }

  private mutating func readPragma() throws -> Result {
    guard var name = rest.popFirst(), name.isName else { return (.local, nil, nil) }
    if rest.first?.is(sign: ".") == true {
      guard let second = rest.dropFirst().first, second.isName else { return (.local, nil, nil) }
      name = second
      rest = rest.dropFirst(2)
    }
    let hasValue = !rest.isEmpty
    guard let pragma = NodePragma(name: name.name.withoutCase) else {
      throw refusal("PRAGMA \(name.name) is not supported by a cluster", name)
    }
    guard hasValue else { return (.read, nil, pragma.names) }
    switch pragma.use {
    case .argument: return (.read, nil, pragma.names)
    case .value: return (.write, nil, nil)
    case .setting:
      let setting = ClusterStatement.Setting(name: pragma.name, sql: text[text.range])
      return (.write, setting, nil)
    case .noValue:
      throw refusal("PRAGMA \(pragma.name) can only be read in a cluster", name)
    }
  }
}
