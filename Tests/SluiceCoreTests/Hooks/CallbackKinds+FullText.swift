import SluiceCore

extension CallbackKind {
  /// The callbacks of FTS5 tokenizers and full-text functions.
  static let fullText =
    SQLiteLibrary.has(.fts5)
    ? [
      tokenizer("tokenizer") { db, act in
        try db.addTokenizer("own") { text in
          try act()
          return wordsAtSpaces(text)
        }
      },
      tokenizer("filter of tokens") { db, act in
        try db.addTokenizer("own") { (_: [String]) in
          ScriptedFilter(base: ["unicode61"]) { token, _, tokens in
            try act()
            try tokens.add(token)
          }
        }
      },
      tokenizer("making of a tokenizer", "CREATE VIRTUAL TABLE m USING fts5(a, tokenize = 'own')") {
        db, act in
        try db.addTokenizer("own") { (_: [String]) in
          try act()
          return Scripted { text, _, tokens in try tokens.add(utf8: text, at: 0..<text.count) }
        }
      },
      function("full-text function") { _, act in try act() },
      function("rows of a phrase") { context, act in
        try context.forEachRow(ofPhrase: 0) { _ in try act() }
      },
      function("tokens of a text") { context, act in
        try context.tokenize("a b") { _ in try act() }
      },
    ] : []

  private static let cleaning = "DROP TABLE IF EXISTS n; DROP TABLE IF EXISTS m"

  private static func tokenizer(
    _ name: String, _ sql: String = "SELECT * FROM n('a')",
    _ add: @escaping @Sendable (Connection, @escaping () throws -> Void) throws -> Void
  ) -> CallbackKind {
    CallbackKind(
      name: name, ending: .misuse,
      setUp: """
        CREATE VIRTUAL TABLE n USING fts5(text, tokenize = 'own'); INSERT INTO n VALUES ('b a')
        """, sql: sql, cleanUp: cleaning
    ) { db, act in
      try add(db, act)
      return { try db.removeTokenizer("own") }
    }
  }

  private static func function(
    _ name: String,
    _ body: @escaping @Sendable (borrowing FTS5Context, () throws -> Void) throws -> Void
  ) -> CallbackKind {
    CallbackKind(
      name: name, isMidway: false, replacing: nil,
      setUp: "CREATE VIRTUAL TABLE n USING fts5(text); INSERT INTO n VALUES ('b a')",
      sql: "SELECT own(n) FROM n('a')", cleanUp: cleaning
    ) { db, act in
      try db.addFullTextFunction("own") { context in
        try body(context, act)
        return 1
      }
      return { try db.removeFullTextFunction("own") }
    }
  }
}
