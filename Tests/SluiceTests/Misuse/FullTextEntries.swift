import Sluice

extension MisuseMatrix {
  static let fullText: [Entry<Connection>] = [
    Entry("Connection.addTokenizer(_:_:)", registers) {
      try $0.addTokenizer("new") { text in [FTS5Token(text, at: 0..<text.utf8.count)] }
    },
    Entry("Connection.addTokenizer(_:_:)", registers) {
      try $0.addTokenizer("new") { _ in Whole() }
    },
    Entry("Connection.addTokenizer(_:_:)", registers) {
      try $0.addTokenizer("new") { _ in Same() }
    },
    Entry("Connection.removeTokenizer(_:)", registers) {
      try $0.addTokenizer("new") { _ in Whole() }
      try $0.removeTokenizer("new")
    },
    Entry("Connection.addFullTextFunction(_:_:)", registers) {
      try $0.addFullTextFunction("new") { _ in 1 }
    },
    Entry("Connection.removeFullTextFunction(_:)", registers) {
      try $0.addFullTextFunction("new") { _ in 1 }
      try $0.removeFullTextFunction("new")
    },
    Entry("Connection.fullText(_:schema:)", works) { try table($0) },
    Entry("Connection.createFullTextIndex(_:on:columns:tokenize:prefixes:schema:)", works) {
      try followed($0)
    },
    Entry("Connection.dropFullTextIndex(_:schema:)", drops) {
      try followed($0)
      try $0.dropFullTextIndex("found")
    },
    Entry("FTS5Table.suggestions(for:limit:)", works) { try table($0).suggestions(for: "word") },
    Entry("FTS5Table.name", works) { try table($0).name },
    Entry("FTS5Table.schema", works) { try table($0).schema },
    Entry("FTS5Table.columns", works) { try table($0).columns },
    Entry("FTS5Table.rebuild()", works) { try table($0).rebuild() },
    Entry("FTS5Table.optimize()", works) { try table($0).optimize() },
    Entry("FTS5Table.merge(pages:)", works) { try table($0).merge(pages: 10) },
    Entry("FTS5Table.checkIntegrity(comparingContent:)", works) {
      try table($0).checkIntegrity()
    },
    Entry("FTS5Table.highlight(_:from:to:)", works) {
      try table($0).highlight("a", from: "", to: "")
    },
    Entry("FTS5Table.snippet(_:from:to:ellipsis:tokens:)", works) { try table($0).snippet() },
    Entry("FTS5Table.bm25(weights:)", works) { try table($0).bm25() },
  ]

  private static let works = Refusals.works.needing(.fts5)
  /// A connection that cannot be used throws before the capability is checked.
  private static let registers = Refusals.works.butClosed(needing: .fts5).but(.inCollation, .misuse)
  private static let drops = Refusals.works.but(.inFunction, .locked).but(.atRow, .locked)
    .but(.whileLent, .locked).needing(.fts5)

  private static func table(_ connection: Connection) throws -> FTS5Table {
    try SQLiteLibrary.require(.fts5)
    try connection.execute(sql: "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(a)")
    return try connection.fullText("words")
  }

  private static func followed(_ connection: Connection) throws {
    try SQLiteLibrary.require(.fts5)
    try connection.execute(sql: "CREATE TABLE followed(id INTEGER PRIMARY KEY, a)")
    try connection.createFullTextIndex("found", on: "followed", columns: ["a"])
  }

  private struct Whole: FTS5Tokenizer {
    func tokenize(
      _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
    ) throws {
      try tokens.add(utf8: text, at: 0..<text.count)
    }
  }

  private struct Same: FTS5TokenFilter {
    let base = ["unicode61"]

    func filter(
      _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
      into tokens: borrowing FTS5TokenSink
    ) throws {
      try tokens.add(token)
    }
  }
}
