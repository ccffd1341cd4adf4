import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5)))
struct `suggestions of similar words` {
  let connection: Connection
  let table: FTS5Table

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE note USING fts5(title, body);
        INSERT INTO note VALUES ('example', 'an example of examples'), ('Example', 'sample'),
          ('exhale', 'expel'), ('Zürich', 'Straße'), ('日本語', 'cat'), ('cart', 'cat')
        """)
    table = try connection.fullText("note")
  }

  private func add(_ words: [String]) throws {
    try connection.execute("INSERT INTO note(title) VALUES (\(words.joined(separator: " ")))")
  }

  @Test func `similar words come by their number of edits, and then the most frequent first`()
    throws
  {
    #expect(try table.suggestions(for: "exmaple", limit: 2) == ["example", "examples"])
    try add(["exemple"])
    #expect(try table.suggestions(for: "examplx") == ["example", "examples", "exemple"])
    try add(["examplq"])
    try add(["examplq"])
    try add(["examplq"])
    #expect(try table.suggestions(for: "examplx", limit: 2) == ["examplq", "example"])
    #expect(try table.suggestions(for: "examplx", limit: 0) == [])
  }

  @Test(arguments: [
    ("xeample", ["example", "examples"]), ("eample", ["example", "examples"]),
    ("example", ["examples"]), ("EXAMPEL", ["example", "examples", "expel"]),
    ("zurihc", ["zurich"]), ("ZÜRCIH", ["zurich"]), ("strasße", ["straße"]),
    ("strßae", ["straße"]), ("srtßae", ["straße"]), ("tsrßae", ["straße"]), ("日语本", []),
    ("日本吾", ["日本語"]), ("ct", ["cat"]), ("caat", ["cat", "cart"]), ("cat", ["cart"]), ("ctar", []),
    ("", []), (" ", []), ("\0", []), ("two words", []), ("\"", []), ("nothing", []), ("x", []),
  ])
  func `edits are insertions, deletions, replacements and swaps of scalars`(
    _ word: String, _ words: [String]
  ) throws {
    #expect(try table.suggestions(for: word) == words)
  }

  @Test func `suggestions equal those of a simple search through all words`() throws {
    var random = SeededGenerator(seed: 11)
    var words: Set<String> = []
    for _ in 0..<1500 {
      let count = Int.random(in: 1...7, using: &random)
      words.insert(
        String((0..<count).map { _ in "abcé".randomElement(using: &random) ?? "a" }))
    }
    try connection.execute(
      sql: "CREATE VIRTUAL TABLE random USING fts5(a, tokenize = 'unicode61 remove_diacritics 0')")
    try connection.execute("INSERT INTO random VALUES (\(words.sorted().joined(separator: " ")))")
    let table = try connection.fullText("random")
    for word in words.sorted().prefix(100) {
      let limit = word.count <= 4 ? 1 : 2
      let expected = words.filter { other in
        other.first.map { word.prefix(2).contains($0) } == true
          && (1...limit).contains(edits(Array(word), Array(other)))
      }
      let found = try table.suggestions(for: word, limit: .max)
      #expect(Set(found) == expected, "\(word)")
      #expect(found.count == expected.count)
    }
  }

  /// The optimal string alignment distance, from its definition.
  private func edits(_ first: [Character], _ second: [Character]) -> Int {
    var table = [[Int]](
      repeating: Array(repeating: 0, count: second.count + 1), count: first.count + 1)
    for row in 0...first.count {
      for column in 0...second.count {
        guard row > 0, column > 0 else {
          table[row][column] = row + column
          continue
        }
        let isEqual = first[row - 1] == second[column - 1]
        table[row][column] = min(
          table[row - 1][column] + 1, table[row][column - 1] + 1,
          table[row - 1][column - 1] + (isEqual ? 0 : 1))
        if row > 1, column > 1, first[row - 1] == second[column - 2],
          first[row - 2] == second[column - 1]
        {
          table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
        }
      }
    }
    return table[first.count][second.count]
  }

  @Test func `a very long word is compared with words of its length only`() throws {
    let long = String(repeating: "ab", count: 10_000)
    try add([long, "a", String(repeating: "a", count: 20_000)])
    #expect(try table.suggestions(for: "xx" + long) == [])
    #expect(try table.suggestions(for: "x" + long) == [long])
    #expect(try table.suggestions(for: long + "x") == [long])
    #expect(try table.suggestions(for: String(repeating: "z", count: 3_000_000)) == [])
  }

  @Test func `a stemming tokenizer suggests stems`() throws {
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE stem USING fts5(a, tokenize = 'porter');
        INSERT INTO stem VALUES ('running examples')
        """)
    let table = try connection.fullText("stem")
    #expect(try table.suggestions(for: "exmaples") == ["exampl"])
  }

  @Test func `an empty index suggests nothing, and a negative limit throws range`() throws {
    try connection.execute(sql: "CREATE VIRTUAL TABLE empty USING fts5(a)")
    #expect(try connection.fullText("empty").suggestions(for: "word") == [])
    #expect(failure { try table.suggestions(for: "word", limit: -1) }?.code == .range)
  }

  @Test func `suggestions leave no table behind, also in a transaction`() throws {
    let words = try connection.transaction { _ in
      try table.suggestions(for: "exmaple", limit: 1)
    }
    #expect(words == ["example"])
    #expect(try connection.integers("SELECT count(*) FROM temp.sqlite_schema") == [0])
    try connection.execute(sql: "CREATE TABLE temp.sluice_vocabulary(a)")
    #expect(failure { try table.suggestions(for: "exmaple") }?.code.primary == .error)
    #expect(try connection.integers("SELECT count(*) FROM temp.sqlite_schema") == [1])
  }

  @Test func `read-only connections and read accesses have suggestions`() throws {
    let folder = try TestFolder()
    try Connection(path: folder.file()).execute(
      sql: "CREATE VIRTUAL TABLE note USING fts5(a); INSERT INTO note VALUES ('example')")
    let reader = try Connection(path: folder.file(), readOnly: true)
    #expect(try reader.fullText("note").suggestions(for: "exmaple") == ["example"])
    try reader.setPragma(.queryOnly, to: true)
    #expect(try reader.fullText("note").suggestions(for: "exmaple") == ["example"])
    #expect(try reader.pragma(.queryOnly))
    try reader.beginReadTransaction()
    #expect(try reader.fullText("note").suggestions(for: "exmaple") == ["example"])
    try reader.updateReadTransaction()
    try reader.endReadTransaction()
    try reader.close()
    let queue = try ConnectionQueue(path: folder.file())
    let pool = try ConnectionPool(path: folder.file())
    for reader in [queue, pool] as [any DatabaseReader] {
      let words = try reader.syncRead { connection in
        try connection.fullText("note").suggestions(for: "exmaple")
      }
      #expect(words == ["example"])
    }
  }

  @Test func `a failure leaves the connection protected from writes`() throws {
    try connection.execute(sql: "CREATE TABLE temp.sluice_vocabulary(a)")
    try connection.setPragma(.queryOnly, to: true)
    #expect(failure { try table.suggestions(for: "exmaple") }?.code.primary == .error)
    #expect(try connection.pragma(.queryOnly))
  }

  @Test func `a live query with suggestions fetches only after the index changes`() throws {
    let queue = try ConnectionQueue()
    try queue.sync {
      try $0.execute(
        sql: """
          CREATE VIRTUAL TABLE note USING fts5(a); CREATE TABLE other(a);
          INSERT INTO note VALUES ('example')
          """)
    }
    let recorder = Recorder<[String]>(.unlimited)
    queue.observe { try $0.fullText("note").suggestions(for: "exmaple") }.subscribe(recorder)
    queue.settle()
    #expect(recorder.values == [["example"]])
    try queue.sync { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
    queue.settle()
    #expect(recorder.values.count == 1)
    try queue.sync { try $0.execute(sql: "INSERT INTO note VALUES ('exmapl')") }
    queue.settle()
    #expect(recorder.values.last == ["example", "exmapl"])
    #expect(recorder.values.count == 2)
  }
}
