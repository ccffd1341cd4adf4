import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5))) struct `token filters` {
  let connection: Connection
  init() throws { connection = try Connection() }

  private func addFilter(
    _ name: String, _ base: [String],
    _ script: @escaping (FTS5Token, FTS5TokenizeReason, borrowing FTS5TokenSink) throws -> Void
  ) throws {
    try connection.addTokenizer(name) { arguments in
      ScriptedFilter(base: base + arguments, script: script)
    }
  }

  @Test(arguments: [["unicode61"], ["ascii"], ["porter"], ["porter", "ascii"]])
  func `a filter can drop tokens of a built-in tokenizer`(_ base: [String]) throws {
    try addFilter("stop", base) { token, _, tokens in
      if token.text != "the" { try tokens.add(token) }
    }
    try connection.makeNotes("stop", "The ä sea")
    #expect(try connection.matches("the").isEmpty)
    #expect(try connection.highlights("sea") == ["The ä [sea]"])
    #expect(try connection.highlights("ä + sea") == ["The [ä sea]"])
  }

  @Test func `a filter can pass its arguments to the base tokenizer`() throws {
    try addFilter("plain", ["unicode61"]) { token, _, tokens in try tokens.add(token) }
    try connection.makeNotes("plain remove_diacritics 0 tokenchars ''-_''", "é a-b")
    #expect(try connection.matches("e").isEmpty)
    #expect(try connection.highlights("\"a-b\"") == ["é [a-b]"])
  }

  @Test func `a filter can add synonyms`() throws {
    try addFilter("both", ["unicode61"]) { token, reason, tokens in
      try tokens.add(token)
      guard reason == .document, token.text == "colour" else { return }
      try tokens.add("color", at: token.range, isColocated: true)
    }
    try connection.makeNotes("both", "a colour film")
    #expect(try connection.highlights("color + film") == ["a [colour film]"])
  }

  @Test func `a filter can wrap the trigram tokenizer`() throws {
    try addFilter("three", ["trigram"]) { token, _, tokens in try tokens.add(token) }
    try connection.makeNotes("three", "Größe", "klein")
    #expect(try connection.highlights("röß") == ["G[röß]e"])
  }

  @Test func `a filter can wrap another filter and a Swift tokenizer`() throws {
    try connection.addTokenizer("words", wordsAtSpaces)
    try addFilter("inner", ["words"]) { token, _, tokens in
      try tokens.add("i" + token.text, at: token.range)
    }
    try addFilter("outer", ["inner"]) { token, _, tokens in
      try tokens.add("o" + token.text, at: token.range)
    }
    try connection.makeNotes("outer", "a ä")
    let terms = """
      CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, note, row)
      """
    try connection.execute(sql: terms)
    #expect(try connection.column("SELECT term FROM terms") == ["oia", "oiä"])
  }

  @Test func `a filter that names itself as its base tokenizer throws misuse`() throws {
    try addFilter("self", ["self"]) { token, _, tokens in try tokens.add(token) }
    let error = failure { try connection.makeNotes("self") }
    #expect(error?.code == .misuse)
    #expect(error?.message == "Tokenizers are nested too deeply; one may filter itself")
  }

  @Test func `a missing base tokenizer or an invalid argument prevents creating the table`() throws
  {
    try addFilter("lost", ["nowhere"]) { _, _, _ in }
    try addFilter("empty", []) { _, _, _ in }
    try addFilter("odd", ["unicode61", "no_such_option", "1"]) { _, _, _ in }
    try addFilter("nul", ["unicode61\0"]) { _, _, _ in }
    #expect(failure { try connection.makeNotes("lost") }?.message == "no such tokenizer: nowhere")
    #expect(failure { try connection.makeNotes("empty") }?.code == .misuse)
    #expect(failure { try connection.makeNotes("nul") }?.code == .misuse)
    let error = failure { try connection.makeNotes("odd") }
    #expect(error?.message == "error in tokenizer constructor: unicode61")
    #expect(try connection.column("SELECT name FROM sqlite_schema").isEmpty)
  }

  @Test func `the caller receives an error of the base tokenizer with its code and message`() throws
  {
    try connection.addTokenizer("bad") { _ in throw SQLiteError(.tooBig, "no words today") }
    try addFilter("outer", ["bad"]) { token, _, tokens in try tokens.add(token) }
    try connection.makeNotes("outer")
    let error = failure { try connection.execute(sql: "INSERT INTO note VALUES ('a')") }
    #expect(error?.code == .tooBig)
    #expect(error?.message == "no words today")
  }

  @Test func `dropping the table releases the base tokenizer of its filter`() throws {
    let counter = ObjectCounter()
    try connection.addTokenizer("held") { (_: [String]) in
      let held = counter.hold()
      return Scripted { _, _, _ in withExtendedLifetime(held) {} }
    }
    try addFilter("outer", ["held"]) { _, _, _ in }
    try connection.makeNotes("outer")
    #expect(counter.living == 1)
    try connection.execute(sql: "DROP TABLE note")
    #expect(counter.living == 0)
  }
}
