import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections), .enabled(if: SQLiteLibrary.has(.fts5)))
struct `tokenizer errors` {
  let connection: Connection
  init() throws { connection = try Connection() }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: ResultCode
    let script: Script
    typealias Script =
      @Sendable (Span<UInt8>, FTS5TokenizeReason, borrowing FTS5TokenSink) throws -> Void

    init(_ name: String, _ code: ResultCode, _ script: @escaping Script) {
      testDescription = name
      self.code = code
      self.script = script
    }
  }

  /// Mistakes in the tokens of the text "aä€ b".
  static let mistakes = [
    Mistake("behind the end", .range) { _, _, tokens in try tokens.add("a", at: 0..<9) },
    Mistake("far away", .range) { _, _, tokens in try tokens.add("a", at: Int.max - 1..<Int.max) },
    Mistake("before the beginning", .range) { _, _, tokens in try tokens.add("a", at: -1..<1) },
    Mistake("beyond what C can count", .range) { _, _, tokens in
      try tokens.add("a", at: 1 << 32..<1 << 32 + 1)
    },
    Mistake("the end in a character", .range) { _, _, tokens in try tokens.add("a", at: 0..<2) },
    Mistake("the start in a character", .range) { _, _, tokens in try tokens.add("a", at: 5..<6) },
    Mistake("back in the text", .range) { _, _, tokens in
      try tokens.add("b", at: 7..<8)
      try tokens.add("a", at: 0..<1)
    },
    Mistake("empty", .misuse) { _, _, tokens in try tokens.add("", at: 0..<0) },
    Mistake("with a NUL", .misuse) { _, _, tokens in try tokens.add("a\0b", at: 0..<1) },
    Mistake("colocated with none", .misuse) { _, _, tokens in
      try tokens.add("a", at: 0..<1, isColocated: true)
    },
  ]

  @Test(arguments: mistakes) func `an invalid token throws and leaves the index intact`(
    _ mistake: Mistake
  ) throws {
    var isWrong = false
    try connection.addTokenizer("t") { text, reason, tokens in
      if isWrong { return try mistake.script(text, reason, tokens) }
      try tokens.add(utf8: text, at: 0..<text.count)
    }
    try connection.makeNotes("t", "aä€ b")
    isWrong = true
    #expect(
      failure { try connection.execute(sql: "INSERT INTO note VALUES ('aä€ b')") }?.code
        == mistake.code)
    #expect(failure { try connection.highlights("\"aä€ b\"") }?.code == mistake.code)
    isWrong = false
    #expect(try connection.highlights("\"aä€ b\"") == ["[aä€ b]"])
    try connection.fullText("note").checkIntegrity()
  }

  @Test func `a token taken from another string throws range`() throws {
    try connection.addTokenizer("t") { text in
      (text + text).split(separator: " ").map { FTS5Token(String($0), at: $0) }
    }
    try connection.makeNotes("t")
    #expect(
      failure { try connection.execute(sql: "INSERT INTO note VALUES ('a b')") }?.code == .range)
  }

  @Test func `a tokenizer receives NUL characters, and a token with a NUL throws misuse`() throws {
    var texts: [String] = []
    try connection.addTokenizer("t") { text in
      texts.append(text)
      return text.split(separator: " ").map { FTS5Token(String($0), at: $0) }
    }
    try connection.makeNotes("t")
    let insert = "INSERT INTO note VALUES (?)"
    #expect(
      failure { try connection.execute(sql: insert, parameters: .string("a\0b c")) }?.code
        == .misuse)
    #expect(texts.last == "a\0b c")
  }

  @Test func `a tokenizer can catch the error of an invalid token and add other tokens`() throws {
    try connection.addTokenizer("t") { text, _, tokens in
      for range in [-1..<1, 0..<1, 3..<99] {
        do { try tokens.add("a", at: range) } catch SQLiteError.range {}
      }
    }
    try connection.makeNotes("t", "abc")
    #expect(try connection.highlights("a") == ["[a]bc"])
  }

  static let statements = [
    "INSERT INTO note VALUES ('new')", "DELETE FROM note", "UPDATE note SET text = 'x'",
    "SELECT * FROM note('a')", "SELECT * FROM note('a*')", "SELECT count(*) FROM note('\"a b\"')",
    "SELECT highlight(note, 0, '[', ']') FROM note", "INSERT INTO note(note) VALUES ('rebuild')",
    "SELECT snippet(note, 0, '[', ']', '', 5) FROM note",
  ]

  @Test(arguments: statements) func `the statement throws the error that a tokenizer throws`(
    _ sql: String
  ) throws {
    var error: (any Error)?
    try connection.addTokenizer("t") { text in
      if let error { throw error }
      return wordsAtSpaces(text)
    }
    try connection.makeNotes("t", "a b")
    error = SQLiteError(.constraintTrigger, "no words today")
    let thrown = failure { try connection.execute(sql: sql) }
    #expect(thrown?.code == .constraintTrigger)
    #expect(thrown?.message == "no words today")
    #expect(thrown?.sql == sql)
    error = ForeignError("quite another one")
    #expect(throws: ForeignError("quite another one")) { try connection.execute(sql: sql) }
    error = nil
    try connection.execute(sql: sql)
    try connection.fullText("note").checkIntegrity()
  }

  @Test(arguments: [ResultCode.ok, .row, .done, .schema, .noMemory, ResultCode(rawValue: -1)])
  func `a tokenizer error whose code has a special meaning for SQLite keeps its message`(
    _ code: ResultCode
  ) throws {
    try connection.addTokenizer("t") { _ in throw SQLiteError(code, "odd") }
    try connection.makeNotes("t")
    let error = failure { try connection.execute(sql: "INSERT INTO note VALUES ('a')") }
    #expect(error?.message == "odd")
  }

  @Test func `creating a table throws the error that creating its tokenizer throws`() throws {
    try connection.addTokenizer("t") { arguments -> Scripted in
      throw SQLiteError(.authorization, "not with \(arguments)")
    }
    let error = failure { try connection.makeNotes("t x") }
    #expect(error?.code == .authorization)
    #expect(error?.message == "not with [\"x\"]")
  }

  enum Use: CaseIterable {
    case select, insert, prepare, close, addTokenizer, addFullTextFunction, removeTokenizer,
      addFunction, addCollation, transaction, rollback, fullText
  }

  private static func perform(_ use: Use, _ connection: Connection) throws {
    switch use {
    case .select: _ = try connection.integers("SELECT count(*) FROM note")
    case .insert: try connection.execute(sql: "INSERT INTO note VALUES ('z')")
    case .prepare: _ = try connection.prepare(sql: "SELECT 1")
    case .close: try connection.close()
    case .addTokenizer: try connection.addTokenizer("t", wordsAtSpaces)
    case .removeTokenizer: try connection.removeTokenizer("t")
    case .addFullTextFunction: try connection.addFullTextFunction("f") { _ in 1 }
    case .addFunction: try connection.addFunction("f", arity: 0) { _ in 1 }
    case .addCollation: try connection.addCollation("c") { (_: String, _: String) in .same }
    case .transaction: try connection.transaction { _, _ in }
    case .rollback: try connection.rollback()
    case .fullText: _ = try connection.fullText("note")
    }
  }

  @Test(arguments: Use.allCases)
  func `using the connection inside a tokenizer throws, and the statement still succeeds`(
    _ use: Use
  ) throws {
    var isTrying = false
    var codes: [ResultCode?] = []
    try connection.addTokenizer("t") { [unowned connection] text in
      if isTrying { codes.append(failure { try Self.perform(use, connection) }?.code) }
      return wordsAtSpaces(text)
    }
    try connection.makeNotes("t", "a b", "c")
    isTrying = true
    for sql in Self.statements { try connection.execute(sql: sql) }
    isTrying = false
    #expect(codes.count >= 5)
    #expect(codes.allSatisfy { $0 == .misuse })
    try connection.fullText("note").checkIntegrity()
    try connection.close()
  }

  @Test func `the connection cannot be used while a tokenizer is created`() throws {
    var codes: [ResultCode?] = []
    try connection.addTokenizer("t") { [unowned connection] arguments in
      for use in Use.allCases { codes.append(failure { try Self.perform(use, connection) }?.code) }
      return Scripted { _, _, _ in }
    }
    try connection.makeNotes("t")
    #expect(codes.count == Use.allCases.count)
    #expect(codes.allSatisfy { $0 == .misuse })
  }

  @Test(arguments: ["removed", "removed with all", "replaced"])
  func
    `adding a tokenizer or full-text function throws once the fts5 module is removed or replaced`(
      _ way: String
    ) throws
  {
    switch way {
    case "removed": try connection.removeModule("FTS5")
    case "removed with all": try connection.removeModules(keeping: ["rtree"])
    default: try connection.addModule("fts5") { _ in ListTable(["a"], [[1]]) }
    }
    let errors = [
      failure { try connection.addTokenizer("t") { wordsAtSpaces($0) } },
      failure { try connection.removeTokenizer("t") },
      failure { try connection.addFullTextFunction("f") { _ in 1 } },
    ]
    for error in errors {
      #expect(error?.code == .notFound)
      #expect(error?.message == "The module fts5 was removed from the connection")
    }
  }

  @Test func `a tokenizer can be added after the modules other than fts5 are removed`() throws {
    try connection.removeModules(keeping: ["fts5"])
    try connection.addTokenizer("t") { wordsAtSpaces($0) }
    try connection.makeNotes("t", "a b")
    #expect(try connection.matches("a") == [1])
  }

  @Test func `a tokenizer can release statements of its connection`() throws {
    var others: [Statement] = []
    try connection.addTokenizer("t") { text in
      others = []
      return wordsAtSpaces(text)
    }
    try connection.makeNotes("t", "a b", "a c")
    for sql in ["SELECT * FROM note('a')", "SELECT text FROM note"] {
      let statement = try connection.prepare(sql: sql)
      _ = try statement.step()
      others.append(statement)
    }
    try connection.execute(sql: "DELETE FROM note WHERE rowid = 1")
    #expect(others.isEmpty)
    #expect(try connection.matches("a") == [2])
    try connection.close()
  }
}
