import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5))) struct `tokenizers` {
  let connection: Connection
  init() throws { connection = try Connection() }

  @Test func `highlight marks the right word among multibyte characters`() throws {
    try connection.addTokenizer("words", wordsAtSpaces)
    try connection.makeNotes("words", "Ölgemälde 👩‍👩‍👧‍👧 größer e\u{301}tage", "größer")
    #expect(
      try connection.highlights("größer") == [
        "Ölgemälde 👩‍👩‍👧‍👧 [größer] e\u{301}tage", "[größer]",
      ])
    #expect(try connection.highlights("e\u{301}tage").count == 1)
  }

  @Test func `a tokenizer can read UTF-8 bytes and report byte ranges`() throws {
    try connection.addTokenizer("digits") { text, _, tokens in
      for index in text.indices where (48...57).contains(text[index]) {
        try tokens.add(utf8: text.extracting(index..<index + 1), at: index..<index + 1)
      }
    }
    try connection.makeNotes("digits", "ä1b2", "3")
    #expect(try connection.highlights("2") == ["ä1b[2]"])
    #expect(try connection.matches("3") == [2])
  }

  @Test func `a prefix query finds words, and the tokenizer receives the reason for each call`()
    throws
  {
    var reasons: [FTS5TokenizeReason] = []
    try connection.addTokenizer("words") { text, reason, tokens in
      reasons.append(reason)
      try tokens.add(utf8: text, at: 0..<text.count)
    }
    try connection.makeNotes("words", "sluice", "slow")
    #expect(try connection.matches("slu*") == [1])
    #expect(try connection.highlights("sl*") == ["[sluice]", "[slow]"])
    #expect(try connection.matches("slow") == [2])
    #expect(
      reasons == [.document, .document, .prefix, .prefix, .auxiliary, .auxiliary, .query])
  }

  @Test func `a synonym shares the position of its token`() throws {
    try connection.addTokenizer("synonyms") { (text: String) in
      wordsAtSpaces(text).flatMap { token in
        let other = FTS5Token("1st", at: token.range, isColocated: true)
        return token.text == "first" ? [token, other] : [token]
      }
    }
    try connection.makeNotes("synonyms", "won first place")
    #expect(try connection.highlights("1st") == ["won [first] place"])
    #expect(try connection.highlights("first + place") == ["won [first place]"])
    #expect(try connection.highlights("won + 1st + place") == ["[won first place]"])
    #expect(try connection.highlights("won + place").isEmpty)
  }

  @Test func `a synonym does not restrict where the next token starts`() throws {
    try connection.addTokenizer("synonyms") { (text: String) in
      guard text == "first place" else { return [FTS5Token(text, at: 0..<text.utf8.count)] }
      return [
        FTS5Token("first", at: 0..<5), FTS5Token("victory", at: 6..<11, isColocated: true),
        FTS5Token("rst", at: 2..<5),
      ]
    }
    try connection.makeNotes("synonyms", "first place")
    #expect(try connection.matches("victory") == [1])
    #expect(try connection.highlights("rst") == ["fi[rst] place"])
  }

  @Test func `each table creates its own tokenizer with its arguments`() throws {
    var made: [[String]] = []
    try connection.addTokenizer("t") { arguments in
      made.append(arguments)
      return Scripted { text, _, tokens in try tokens.add(utf8: text, at: 0..<text.count) }
    }
    try connection.execute(sql: "CREATE VIRTUAL TABLE a USING fts5(x, tokenize = 't')")
    try connection.execute(sql: "CREATE VIRTUAL TABLE b USING fts5(x, tokenize = \"t 'ä b' c\")")
    #expect(made == [[], ["ä b", "c"]])
  }

  @Test func `tokenizer names are case-insensitive`() throws {
    try connection.addTokenizer("Words") { _ in [] }
    try connection.addTokenizer("WORDS", wordsAtSpaces)
    try connection.makeNotes("words", "a")
    #expect(try connection.matches("a") == [1])
  }

  @Test func `a tokenizer receives numbers and blobs as text, and no NULL`() throws {
    var texts: [String] = []
    try connection.addTokenizer("t") { text in
      texts.append(text)
      return wordsAtSpaces(text)
    }
    try connection.makeNotes("t", "")
    try connection.execute(sql: "INSERT INTO note VALUES (42), (NULL), (x'61'), (1.5)")
    #expect(texts == ["", "42", "a", "1.5"])
    #expect(try connection.matches("42") == [2])
  }

  @Test(arguments: [
    "ff", "c3", "61ff62", "e28220", "eda080", "f09f98", "80808080", "20c3a420ff20c3",
  ])
  func `invalid UTF-8 is tokenized with correct byte ranges`(
    _ hexadecimal: String
  ) throws {
    let target = "zi\u{e9}l"
    try connection.addTokenizer("strings", wordsAtSpaces)
    try connection.addTokenizer("bytes") { text, _, tokens in
      try tokens.add(utf8: text, at: 0..<text.count)
    }
    for name in ["strings", "bytes"] {
      try connection.execute(
        sql:
          "DROP TABLE IF EXISTS note; CREATE VIRTUAL TABLE note USING fts5(x, tokenize = '\(name)')"
      )
      try connection.execute(
        sql:
          "INSERT INTO note VALUES (CAST(x'\(hexadecimal)' || ' \(target) ' || x'\(hexadecimal)' AS TEXT))"
      )
      try connection.fullText("note").checkIntegrity()
    }
    try connection.execute(
      sql: "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(x, tokenize = 'strings')")
    try connection.execute(
      sql:
        "INSERT INTO note VALUES (CAST(x'\(hexadecimal)' || ' \(target) ' || x'\(hexadecimal)' AS TEXT))"
    )
    let marked = try connection.first(
      .column(.bytes), sql: "SELECT CAST(highlight(note, 0, '[', ']') AS BLOB) FROM note(?)",
      parameters: .string(target))
    let bytes = try connection.first(.column(.bytes), sql: "SELECT x'\(hexadecimal)'") ?? []
    #expect(marked == bytes + Array(" [\(target)] ".utf8) + bytes)
  }

  @Test func `a tokenizer can be added to the connection of a queue`() throws {
    let queue = try ConnectionQueue()
    let found = try queue.sync { connection in
      try connection.addTokenizer("words") { text in
        text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
      }
      try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = 'words')")
      try connection.execute(sql: "INSERT INTO note VALUES ('A b')")
      return try connection.first(.column(.int), sql: "SELECT rowid FROM note('a')")
    }
    #expect(found == 1)
  }
}
