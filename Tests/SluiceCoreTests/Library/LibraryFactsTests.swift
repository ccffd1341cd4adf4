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

  @Test func `the keywords are complete and unique`() {
    let keywords = SQLiteLibrary.keywords
    #expect(keywords.count == Int(sqlite3_keyword_count()))
    #expect(Set(keywords).count == keywords.count)
    #expect(Set(keywords).isSuperset(of: ["SELECT", "INDEXED", "RETURNING"]))
    #expect(keywords.allSatisfy(SQLiteLibrary.isKeyword))
  }

  @Test(arguments: ["select", "Select", "SELECT", "temp"])
  func `a keyword is recognized in any case`(
    word: String
  ) {
    #expect(SQLiteLibrary.isKeyword(word))
  }

  @Test(
    arguments: [
      "", "x", "person", "selec", "selects", "select\0", "sel\0ct", " select", "sélect",
    ])
  func `other words are not keywords`(word: String) {
    #expect(!SQLiteLibrary.isKeyword(word))
  }

  @Test func `a very long word is not a keyword`() {
    #expect(!SQLiteLibrary.isKeyword(String(repeating: "select", count: 1_000_000)))
  }

  @Test(arguments: [0, 1, 16, 100_000]) func `randomBytes returns the requested number of bytes`(
    count: Int
  ) throws {
    #expect(try SQLiteLibrary.randomBytes(count: count).count == count)
  }

  @Test func `random bytes cover all values and differ from call to call`() throws {
    let bytes = try SQLiteLibrary.randomBytes(count: 10_000)
    #expect(Set(bytes).count == 256)
    #expect(try SQLiteLibrary.randomBytes(count: 10_000) != bytes)
  }

  @Test(arguments: [-1, Int(Int32.min), Int.min]) func `a negative count of random bytes throws`(
    count: Int
  ) {
    #expect(failure { try SQLiteLibrary.randomBytes(count: count) }?.code == .range)
  }

  @Test(arguments: [1_000_000_001, Int(Int32.max), Int(Int32.max) + 1, Int.max])
  func `a count of random bytes above SQLite's maximum throws`(count: Int) {
    #expect(failure { try SQLiteLibrary.randomBytes(count: count) }?.code == .tooBig)
  }
}
