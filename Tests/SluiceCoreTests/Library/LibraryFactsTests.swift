import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.library)) struct `library facts` {
  @Test func `the version and source ID equal those that SQL returns`() throws {
    let db = try Connection()
    #expect(try db.value("SELECT sqlite_version()") == .text(SQLiteLibrary.version))
    #expect(try db.value("SELECT sqlite_source_id()") == .text(SQLiteLibrary.sourceID))
  }

  @Test func `the version number combines the parts of the version`() {
    let parts = SQLiteLibrary.version.split(separator: ".").prefix(3).compactMap { Int($0) }
    #expect(parts.count == 3)
    #expect(SQLiteLibrary.versionNumber == (parts[0] * 1000 + parts[1]) * 1000 + parts[2])
    #expect(SQLiteLibrary.versionNumber >= 3_037_000)
  }

  @Test func `the compile options equal those that SQL returns`() throws {
    let told = try Connection().column("PRAGMA compile_options")
    #expect(told.count > 5)
    #expect(SQLiteLibrary.compileOptions.map { .text($0) } == told)
  }

  @Test func `the threading mode matches the THREADSAFE compile option`() throws {
    let number = SQLiteLibrary.threadingMode == .serialized ? 1 : 2
    #expect(SQLiteLibrary.compileOptions.contains("THREADSAFE=\(number)"))
  }

  @Test func `the list of keywords has SQLite's count and no duplicates`() {
    let keywords = SQLiteLibrary.keywords
    #expect(keywords.count == Int(sqlite3_keyword_count()))
    #expect(Set(keywords).count == keywords.count)
    #expect(Set(keywords).isSuperset(of: ["SELECT", "INDEXED", "RETURNING"]))
    #expect(keywords.allSatisfy(SQLiteLibrary.isKeyword))
  }

  @Test(arguments: ["select", "Select", "SELECT", "temp"])
  func `isKeyword recognizes a keyword in any letter case`(
    word: String
  ) {
    #expect(SQLiteLibrary.isKeyword(word))
  }

  @Test(
    arguments: [
      "", "x", "person", "selec", "selects", "select\0", "sel\0ct", " select", "sélect",
    ])
  func `isKeyword is false for words that are not keywords`(word: String) {
    #expect(!SQLiteLibrary.isKeyword(word))
  }

  @Test func `isKeyword is false for a very long word`() {
    #expect(!SQLiteLibrary.isKeyword(String(repeating: "select", count: 1_000_000)))
  }

  @Test(arguments: [0, 1, 16, 100_000]) func `randomBytes returns the requested number of bytes`(
    count: Int
  ) throws {
    #expect(try SQLiteLibrary.randomBytes(count: count).count == count)
  }

  @Test func `randomBytes returns every byte value, and different bytes on each call`() throws {
    let bytes = try SQLiteLibrary.randomBytes(count: 10_000)
    #expect(Set(bytes).count == 256)
    #expect(try SQLiteLibrary.randomBytes(count: 10_000) != bytes)
  }

  @Test(arguments: [-1, Int(Int32.min), Int.min]) func `randomBytes throws for a negative count`(
    count: Int
  ) {
    #expect(failure { try SQLiteLibrary.randomBytes(count: count) }?.code == .range)
  }

  @Test(arguments: [1_000_000_001, Int(Int32.max), Int(Int32.max) + 1, Int.max])
  func `randomBytes throws for a count above SQLite's maximum`(count: Int) {
    #expect(failure { try SQLiteLibrary.randomBytes(count: count) }?.code == .tooBig)
  }
}
