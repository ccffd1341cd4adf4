import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5))) struct `full-text functions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.makeColumns()
  }

  /// Returns the results of `function` for the rows that match `pattern`.
  private func values(
    _ pattern: String, _ function: @escaping Connection.FTS5Function
  ) throws -> [DatabaseValue] {
    try connection.addFullTextFunction("f", function)
    return try connection.query(
      .column(.value), sql: "SELECT f(note, 7, 'b') FROM note WHERE note MATCH ? ORDER BY rowid",
      parameters: .string(pattern))
  }

  @Test func `a full-text function reads counts and text of the row, table and query`() throws {
    let values = try values("one OR \"five six\"") { context in
      #expect(context.columnCount == 3)
      #expect(try context.rowCount == 3)
      #expect(context.phraseCount == 2)
      #expect(try context.tokenCount(ofPhrase: 0) == 1)
      #expect(try context.tokenCount(ofPhrase: 1) == 2)
      #expect(try context.totalTokenCount() == 9)
      #expect(try context.totalTokenCount(ofColumn: 1) == 5)
      let sizes = [
        try context.tokenCount(), try context.tokenCount(ofColumn: 0),
        try context.tokenCount(ofColumn: 1), try context.tokenCount(ofColumn: 2),
      ]
      #expect(sizes == (try context.rowid == 1 ? [5, 2, 3, 0] : [2, 1, 1, 0]))
      let count = try context.withUTF8(ofColumn: 0) { $0.count }
      return .text("\(try context.rowid) \(try context.text(ofColumn: 0)) \(count)")
    }
    #expect(values == ["1 ä one 6", "2 three 5"])
  }

  @Test func `a full-text function can read the positions of the phrases`() throws {
    let values = try values("one AND two") { context in
      let all = try context.instances()
      let second = try context.instances(ofPhrase: 1)
      let places = all.map { [$0.phrase, $0.column, $0.position] }
      #expect(places == [[0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 2]])
      #expect(second == [all[1], all[3]])
      #expect(try context.columns(ofPhrase: 0) == [0, 1])
      #expect(try context.columns(ofPhrase: 1) == [1])
      return .integer(Int64(all.count))
    }
    #expect(values == [4])
  }

  @Test func `a full-text function receives the arguments after the table`() throws {
    let values = try values("five") { context in
      .text(
        "\(context.arguments.count) \(try context.arguments.get(Int.self, at: 0)) \(try context.arguments[1])"
      )
    }
    #expect(values == ["2 7 'b'"])
  }

  @Test func `a full-text function tokenizes text with the table's tokenizer`() throws {
    let values = try values("five") { context in
      var tokens: [FTS5Token] = []
      try context.tokenize("Ölig, B") { tokens.append($0) }
      #expect(tokens == [FTS5Token("olig", at: 0..<5), FTS5Token("b", at: 7..<8)])
      #expect(
        failure { try context.tokenize("a b") { _ in throw SQLiteError(.full, "enough") } }?.code
          == .full)
      try context.tokenize("") { _ in Issue.record("There is no token") }
      return .integer(Int64(tokens.count))
    }
    #expect(values == [2])
  }

  @Test(arguments: [1, 14, 15, 16, 31, 32])
  func `a full-text function tokenizes text without a character behind its end`(length: Int) throws
  {
    // Swift stores up to 15 bytes of a text in place, and ends no such text with a NUL.
    let text = String("abcdefghijklmnopqrstuvwxyzabcdef".prefix(length))
    try connection.execute(
      sql:
        "CREATE VIRTUAL TABLE part USING fts5(s, tokenize = trigram); INSERT INTO part VALUES ('abc')"
    )
    try connection.addFullTextFunction("ends") { context in
      var ends: [Int] = []
      try context.tokenize(text) { ends.append($0.range.upperBound) }
      return .text("\(ends)")
    }
    let ends = try connection.value("SELECT ends(part) FROM part WHERE part MATCH 'abc'")
    #expect(ends == .text("\(length < 3 ? [] : Array(3...length))"))
  }

  @Test(arguments: ["unicode61", "own"])
  func `a token closure of a full-text function can run a query and tokenize other text`(
    _ tokenizer: String
  ) throws {
    let connection = try Connection()
    try connection.addTokenizer("own", wordsAtSpaces)
    try connection.makeNotes(tokenizer, "a b", "a", "b")
    let long = String(repeating: "x", count: 1000)
    var found: [String: [Int]] = [:]
    try connection.addFullTextFunction("look") { [unowned connection] context in
      try context.tokenize("a b") { token in
        try context.tokenize(long) { #expect($0.text == long) }
        found[token.text] = try connection.matches(token.text)
      }
      return 1
    }
    _ = try connection.column("SELECT look(note) FROM note('a b')")
    #expect(found == ["a": [1, 2], "b": [1, 3]])
  }

  @Test func `a full-text function can visit the rows that contain a phrase`() throws {
    let values = try values("one AND three") { context in
      var rows: [Int64] = []
      try context.forEachRow(ofPhrase: 0) { row in
        rows.append(try row.rowid)
        #expect(row.phraseCount == 1 && row.arguments.isEmpty)
        let text = try row.text(ofColumn: 1)
        #expect(text.contains("one"))
        #expect(failure { try row.auxiliaryData { 1 } }?.code == .misuse)
      }
      let error = failure {
        try context.forEachRow(ofPhrase: 0) { _ in throw SQLiteError(.full, "enough") }
      }
      #expect(error?.code == .full)
      return .text("\(rows)")
    }
    #expect(values == ["[1, 2]"])
  }

  @Test func `auxiliary data of a full-text function is created once per query`() throws {
    var made = 0
    let counter = ObjectCounter()
    for _ in 1...2 {
      _ = try values("one") { context in
        let held = try context.auxiliaryData {
          made += 1
          return counter.hold()
        }
        return withExtendedLifetime(held) { 1 }
      }
    }
    #expect(made == 2)
    #expect(counter.living == 0)
  }

  @Test func `a full-text function that uses a column or phrase index out of range throws range`()
    throws
  {
    _ = try values("one AND three") { context in
      for column in [-1, 3, Int.max, Int.min] {
        #expect(failure { try context.text(ofColumn: column) }?.code == .range)
        #expect(failure { try context.withUTF8(ofColumn: column) { $0.count } }?.code == .range)
        #expect(failure { try context.tokenCount(ofColumn: column) }?.code == .range)
        #expect(failure { try context.totalTokenCount(ofColumn: column) }?.code == .range)
      }
      for phrase in [-1, 2, Int.max, Int.min] {
        #expect(failure { try context.tokenCount(ofPhrase: phrase) }?.code == .range)
        #expect(failure { try context.instances(ofPhrase: phrase) }?.code == .range)
        #expect(failure { try context.columns(ofPhrase: phrase) }?.code == .range)
        #expect(failure { try context.forEachRow(ofPhrase: phrase) { _ in } }?.code == .range)
      }
      return .null
    }
  }

  @Test func `a full-text function outside a full-text query has no phrases`() throws {
    try connection.addFullTextFunction("f") { context in
      #expect(failure { try context.rowid }?.code == .misuse)
      #expect(failure { try context.tokenCount() }?.code == .misuse)
      return .text(
        "\(context.phraseCount) \(try context.instances().count) \(try context.text(ofColumn: 0))")
    }
    #expect(
      try connection.column("SELECT f(note) FROM note") == ["0 0 ä one", "0 0 three", "0 0 four"])
  }

  @Test func `a full-text function can sort rows, directly or as the rank`() throws {
    try connection.addFullTextFunction("rank2") { context in .integer(-(try context.rowid)) }
    #expect(
      try connection.integers("SELECT rowid FROM note('one') ORDER BY rank2(note)") == [2, 1])
    try connection.execute(sql: "INSERT INTO note(note, rank) VALUES ('rank', 'rank2()')")
    #expect(try connection.integers("SELECT rowid FROM note('one') ORDER BY rank") == [2, 1])
  }

  @Test(arguments: [
    "SELECT f(note) FROM note('one')", "SELECT rowid FROM note('one') ORDER BY rank",
  ])
  func `the statement throws the error that a full-text function throws`(_ sql: String) throws {
    try connection.addFullTextFunction("f") { _ in throw SQLiteError(.busySnapshot, "not now") }
    try connection.execute(sql: "INSERT INTO note(note, rank) VALUES ('rank', 'f()')")
    let error = failure { try connection.execute(sql: sql) }
    #expect(error?.code == .busySnapshot)
    #expect(error?.message == "not now")
    try connection.addFullTextFunction("F") { _ in .real(.nan) }
    #expect(failure { try connection.execute(sql: sql) }?.code == .mismatch)
    try connection.addFullTextFunction("f") { _ in 1 }
    try connection.execute(sql: sql)
  }

  @Test
  func
    `a full-text function can read invalid UTF-8 as bytes, but reading it as text throws mismatch`()
    throws
  {
    try connection.execute(sql: "UPDATE note SET extra = CAST(x'61ff' AS TEXT)")
    let values = try values("five") { context in
      #expect(failure { try context.text(ofColumn: 2) }?.code == .mismatch)
      return .blob(try context.withUTF8(ofColumn: 2) { span in span.indices.map { span[$0] } })
    }
    #expect(values == [.blob([0x61, 0xff])])
  }

  @Test func `a contentless table returns empty text and no phrase instances`() throws {
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE bare USING fts5(a, content = '', detail = none);
        INSERT INTO bare(rowid, a) VALUES (1, 'one two')
        """)
    try connection.addFullTextFunction("f") { context in
      #expect(try context.tokenCount() == 2)
      #expect(try context.text(ofColumn: 0).isEmpty)
      return .integer(Int64(try context.instances().count))
    }
    #expect(try connection.column("SELECT f(bare) FROM bare('one')") == [0])
  }

  @Test func `a full-text function can use the connection but not close it`() throws {
    let values = try values("one") { [unowned connection] context in
      #expect(failure { try connection.close() }?.code == .misuse)
      let text = try context.withUTF8(ofColumn: 1) { text in
        try connection.execute(sql: "INSERT INTO note VALUES ('new', 'six', '')")
        try connection.execute(sql: "DELETE FROM note WHERE rowid = 3")
        _ = try connection.integers("SELECT count(*) FROM note('one')")
        return text.indices.map { text[$0] }
      }
      #expect(failure { try connection.execute(sql: "DROP TABLE note") }?.code == .locked)
      return .text(String(decoding: text, as: UTF8.self))
    }
    #expect(values == ["two one two", "one"])
    try connection.fullText("note").checkIntegrity()
  }
}
