import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5))) struct `full-text patterns` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE note USING fts5(title, body);
        INSERT INTO note VALUES
          ('red', 'the quick brown fox'), ('green', 'a lazy dog'), ('blue', 'the fox and the dog'),
          ('grün', 'don''t stop')
        """)
  }

  private func matches(_ pattern: FTS5Pattern) throws -> [Int] {
    try connection.query(
      .column(.int), "SELECT rowid FROM note WHERE note MATCH \(pattern) ORDER BY rowid")
  }

  @Test func `a pattern of words matches rows with all or any of the words`() throws {
    #expect(try matches(.allWords("fox the")) == [1, 3])
    #expect(try matches(.allWords("  FOX\n\tdog ")) == [3])
    #expect(try matches(.anyWord("quick lazy")) == [1, 2])
    #expect(try matches(.allWords("don't")) == [4])
    #expect(try matches(.allWords("GRUN")) == [4])
    #expect(try matches(.allWords("fox - !")) == [1, 3])
    #expect(try matches(.anyWord("fox - !")) == [1, 3])
  }

  @Test func `a pattern can match the last word or every word as a prefix`() throws {
    #expect(try matches(.allWords("th fo")) == [])
    #expect(try matches(.allWords("the fo", prefixes: .last)) == [1, 3])
    #expect(try matches(.allWords("th fo", prefixes: .last)) == [])
    #expect(try matches(.allWords("th fo", prefixes: .all)) == [1, 3])
    #expect(try matches(.anyWord("qui laz", prefixes: .all)) == [1, 2])
    #expect(try matches(.prefix("quick br")) == [1])
    #expect(try matches(.prefix("the qu", startsColumn: true)) == [1])
  }

  @Test func `a pattern can match a phrase, the start of a column, or nearby words`() throws {
    #expect(try matches(.phrase("brown fox")) == [1])
    #expect(try matches(.phrase("fox brown")) == [])
    #expect(try matches(.phrase("the fox", startsColumn: true)) == [3])
    #expect(try matches(.phrase("fox", startsColumn: true)) == [])
    #expect(try matches(.near(["fox", "dog"])) == [3])
    #expect(try matches(.near(["fox", "dog"], distance: 1)) == [])
    #expect(try matches(.near(["fox", "dog"], distance: 2)) == [3])
    #expect(try matches(.near(["fox", "-"], distance: .max)) == [1, 3])
    #expect(try matches(.near(["fox"], distance: .min)) == [1, 3])
    #expect(try matches(.near([])) == [])
  }

  @Test func `combined patterns are matched with their grouping`() throws {
    let fox = FTS5Pattern.phrase("fox")
    let dog = FTS5Pattern.phrase("dog")
    #expect(try matches(.all([fox, dog])) == [3])
    #expect(try matches(.any([fox, dog])) == [1, 2, 3])
    #expect(try matches(.all([.any([fox, dog]), .allWords("the quick")])) == [1])
    #expect(try matches(.any([.allWords("lazy dog"), .allWords("quick fox")])) == [1, 2])
    #expect(try matches(fox.except(dog)) == [1])
    #expect(try matches(.any([fox, dog]).except(.all([fox, dog]))) == [1, 2])
    #expect(try matches(fox.except(.phrase("red").except(.phrase("brown")))) == [1, 3])
    #expect(try matches(.all([fox])) == [1, 3])
  }

  @Test func `a pattern can be limited to columns or exclude columns`() throws {
    try connection.execute(
      sql:
        "CREATE VIRTUAL TABLE odd USING fts5(\"a \"\"b\"\" } : *\", c); INSERT INTO odd VALUES ('x', 'y')"
    )
    #expect(try matches(.phrase("red").inColumns(["title"])) == [1])
    #expect(try matches(.phrase("red").inColumns(["body"])) == [])
    #expect(try matches(.allWords("blue fox").inColumns(["title", "body"])) == [3])
    #expect(try matches(.allWords("blue fox").inColumns(["body"])) == [])
    #expect(try matches(.phrase("fox").outsideColumns(["body"])) == [])
    #expect(try matches(.phrase("fox").outsideColumns([])) == [1, 3])
    #expect(try matches(.phrase("fox").inColumns([])) == [])
    #expect(try matches(.phrase("fox").inColumns(["body"]).inColumns(["title"])) == [])
    #expect(
      try matches(.all([.phrase("red").inColumns(["title"]), .phrase("fox").inColumns(["body"])]))
        == [1])
    let odd = FTS5Pattern.phrase("x").inColumns(["a \"b\" } : *"])
    #expect(
      try connection.first(.column(.int), "SELECT rowid FROM odd WHERE odd MATCH \(odd)") == 1)
    let error = failure { try matches(.phrase("x").inColumns(["nowhere"])) }
    #expect(error?.message == "no such column: nowhere")
  }

  @Test func `NUL separates words as white space does`() throws {
    #expect(FTS5Pattern.allWords("red\0fox") == .allWords("red fox"))
    #expect(FTS5Pattern.anyWord("red\0fox") == .anyWord("red fox"))
    #expect(try matches(.allWords("fox\0red")) == matches(.allWords("fox red")))
  }

  @Test func `a pattern without words matches no rows`() throws {
    let empty: [FTS5Pattern] = [
      .nothing, .allWords(""), .allWords(" \n\u{2003}"), .anyWord(""), .anyWord("\0"), .phrase(""),
      .phrase("-"), .prefix(""), .near(["", ""]), .all([]), .any([]),
      .allWords("*", prefixes: .all),
      .all([.nothing, .phrase("fox")]), .nothing.except(.phrase("fox")),
      .nothing.inColumns(["body"]),
    ]
    for pattern in empty { #expect(try matches(pattern) == [], "\(pattern)") }
    #expect(try matches(.any([.nothing, .phrase("fox")])) == [1, 3])
    #expect(try matches(.phrase("fox").except(.nothing)) == [1, 3])
  }

  @Test func `a pattern with hundreds of parts matches the right rows`() throws {
    var all = FTS5Pattern.phrase("fox")
    var any = all
    var except = all
    for _ in 0..<500 {
      all = .all([all, .phrase("the")])
      any = .any([any, .phrase("green")])
      except = except.except(.phrase("red"))
    }
    #expect(try matches(all) == [1, 3])
    #expect(try matches(any) == [1, 2, 3])
    #expect(try matches(except) == [3])
    #expect(try matches(except.except(.any([.phrase("fox"), .phrase("x")]))) == [])
    #expect(try matches(.phrase("fox").except(.nothing).except(.phrase("red"))) == [3])
    #expect(try matches(.phrase("fox").except(.phrase("fox").except(.phrase("red")))) == [1])
    let words = String(repeating: "the ", count: 2000)
    #expect(try matches(.allWords(words)) == [1, 3])
    #expect(try matches(.anyWord(words)) == [1, 3])
  }

  @Test func `a pattern of words from random text is always valid`() throws {
    var random = SeededGenerator(seed: 42)
    let pieces = [
      "\"", "\"\"", "'", "*", "+", "-", "^", ":", "{", "}", "(", ")", ",", ".", "|", "&", "!", "\\",
      "%", "_",
      "AND", "OR", "NOT", "NEAR", "NEAR(", "and", "fox", "the", "title", "body", "title:", "note",
      "rank", "1",
      "999999999999", " ", "  ", "\n", "\t", "\0", "\u{1}", "\u{7f}", "ä", "ß", "e\u{301}",
      "\u{301}", "👩‍👩‍👧‍👧",
      "\u{fffd}", "\u{10ffff}", "\u{feff}", "\u{2028}", "\u{a0}", "?", "?1", "$a", "@b", ";", "--",
      "/*", "x'",
    ]
    let statement = try connection.prepare(sql: "SELECT rowid FROM note WHERE note MATCH ?")
    for _ in 0..<rounds(20_000, long: 100_000) {
      let texts = (0..<2).map { _ in
        (0..<Int.random(in: 0...6, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }.joined()
      }
      let first = Self.pattern(texts[0], &random)
      let second = Self.pattern(texts[1], &random)
      let pattern =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: FTS5Pattern.all([first, second])
        case 1: FTS5Pattern.any([first, second, .all([first, first])])
        case 2: first.except(second)
        case 3: first.inColumns(["title", "body"])
        case 4: second.outsideColumns(["title"]).except(first)
        default: first
        }
      do { try statement.bind(.pattern(pattern)).execute() } catch {
        Issue.record(error, "\(texts) \(pattern)")
        return
      }
    }
  }

  private static func pattern(_ text: String, _ random: inout SeededGenerator) -> FTS5Pattern {
    let prefixes = FTS5Pattern.Prefixes.allCases.randomElement(using: &random) ?? .none
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: .allWords(text, prefixes: prefixes)
    case 1: .anyWord(text, prefixes: prefixes)
    case 2: .phrase(text, startsColumn: Bool.random(using: &random))
    case 3: .prefix(text, startsColumn: Bool.random(using: &random))
    default: .near([text, "fox", text], distance: Int.random(in: -1...9, using: &random))
    }
  }
}
