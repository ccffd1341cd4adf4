import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections), .enabled(if: SQLiteLibrary.has(.fts5)))
struct `the lifetime of tokenizers` {
  let connection: Connection
  let counter = ObjectCounter()
  init() throws { connection = try Connection() }

  private func addHeld(_ name: String = "t") throws {
    let held = counter.hold()
    try connection.addTokenizer(name) { text in
      withExtendedLifetime(held) { wordsAtSpaces(text) }
    }
  }

  @Test func `replacing a tokenizer releases the old tokenizer`() throws {
    try addHeld()
    try addHeld()
    #expect(counter.living == 1 && counter.released == 1)
  }

  @Test func `removing a tokenizer releases the tokenizer and frees its name`() throws {
    try addHeld()
    try connection.removeTokenizer("T")
    #expect(counter.living == 0)
    #expect(failure { try connection.removeTokenizer("t") }?.code == .notFound)
    #expect(failure { try connection.makeNotes("t") }?.message == "no such tokenizer: t")
    try addHeld()
    try connection.makeNotes("t", "a")
  }

  @Test func `a tokenizer that the connection refuses is released`() throws {
    for name in [
      "unicode61", "Porter", "ascii", "trigram", "", "a\0b", String(repeating: "x", count: 256),
    ] {
      #expect(failure { try addHeld(name) }?.code == .misuse)
    }
    #expect(counter.living == 0)
  }

  @Test func `closing the connection releases its tokenizers`() throws {
    try addHeld()
    try addHeld("u")
    try connection.makeNotes("t", "a")
    let statement = try connection.prepare(sql: "SELECT * FROM note('a')")
    _ = try statement.step()
    try connection.close()
    #expect(counter.living == 0)
    #expect(failure { try addHeld() }?.code == .misuse)
  }

  @Test func `deallocating the connection releases its tokenizers`() throws {
    let counter = ObjectCounter()
    do {
      let connection = try Connection()
      let held = counter.hold()
      try connection.addTokenizer("t") { text in withExtendedLifetime(held) { wordsAtSpaces(text) }
      }
      try connection.makeNotes("t", "a")
    }
    #expect(counter.living == 0)
  }

  @Test func `a table retains its tokenizer after replacement and removal`() throws {
    try addHeld()
    try connection.makeNotes("t", "a")
    try connection.addTokenizer("t") { _ in [] }
    try connection.execute(sql: "INSERT INTO note VALUES ('a')")
    #expect(try connection.matches("a") == [1, 2])
    #expect(counter.living == 1)
    try connection.removeTokenizer("t")
    #expect(try connection.matches("a") == [1, 2])
    try connection.execute(sql: "DROP TABLE note")
    #expect(counter.living == 0)
  }

  @Test func `an object captured by a tokenizer can use the connection in its deinit`() throws {
    final class Witness {
      let action: () -> Void
      init(_ action: @escaping () -> Void) { self.action = action }
      deinit { action() }
    }
    var found: [Int] = []
    for _ in 1...2 {
      let witness = Witness { [connection] in
        found += (try? connection.integers("SELECT 42")) ?? [0]
        try? connection.removeTokenizer("t")
      }
      try connection.addTokenizer("t") { text in
        withExtendedLifetime(witness) { wordsAtSpaces(text) }
      }
    }
    // The first tokenizer's witness removed the second tokenizer.
    #expect(found == [42, 42])
    #expect(failure { try connection.removeTokenizer("t") }?.code == .notFound)
  }

  @Test func `using a table with a missing tokenizer throws until the tokenizer is added`() throws {
    let folder = try TestFolder()
    do {
      let connection = try Connection(path: folder.file())
      try connection.addTokenizer("camel", wordsAtSpaces)
      try connection.makeNotes("camel", "a b")
      try connection.close()
    }
    let connection = try Connection(path: folder.file())
    let error = failure { try connection.matches("a") }
    #expect(error?.code == .error)
    #expect(error?.message == "no such tokenizer: camel")
    try connection.addTokenizer("camel", wordsAtSpaces)
    #expect(try connection.matches("a") == [1])
    let reader = try Connection(path: folder.file(), readOnly: true)
    try reader.addTokenizer("camel", wordsAtSpaces)
    #expect(try reader.matches("b") == [1])
  }
}
