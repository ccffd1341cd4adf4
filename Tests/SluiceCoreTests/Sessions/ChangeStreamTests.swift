import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions))) struct `streaming changesets` {
  let recording: Recording

  init() throws {
    recording = try Recording()
    try recording.connection.execute(
      sql: """
        INSERT INTO person SELECT value, 'name' || value, x'00'
          FROM array(?)
        """, parameters: .array((1...rounds(100, long: 300)).map { SQLParameter.int($0) }))
  }

  private let sql = """
    UPDATE person SET name = name || '!' WHERE id % 3 = 0;
    DELETE FROM person WHERE id % 3 = 1;
    INSERT INTO tag SELECT id, 'x', zeroblob(id * 10) FROM person
    """

  @Test(arguments: [1, 2, 3, 7, 64, 1024, 1_000_000])
  func `changes streamed in chunks of any size give the same results`(_ size: Int) throws {
    let before = try recording.rows()
    let changeset = try recording.changeset(sql)
    let after = try recording.rows()
    let stream = { Changeset.Stream(chunks(changeset.bytes, of: size)) }
    var changes: [Changeset.Change] = []
    try stream().forEachChange { changes.append($0) }
    #expect(try changes == changeset.changes())
    var inverted: [UInt8] = []
    try stream().inverted(to: { inverted += $0 })
    #expect(try inverted == changeset.inverted().bytes)
    changes = []
    try stream().forEachInvertedChange { changes.append($0) }
    #expect(try changes == Changeset(bytes: inverted).changes())
    var doubled: [UInt8] = []
    try stream().appending(Changeset.Stream([inverted])) { doubled += $0 }
    #expect(try Changeset(bytes: doubled).isEmpty)
    try recording.connection.apply(stream(), inverted: true)
    #expect(try recording.rows() == before)
    try recording.connection.apply(stream())
    #expect(try recording.rows() == after)
  }

  @Test(
    arguments: [1, 3, 1_000_000],
    [
      "UPDATE word SET word = 'SOME'", "UPDATE word SET word = 'SOME', count = 2",
      "REPLACE INTO word VALUES ('SOME', 2)", "UPDATE number SET n = 1.0",
    ])
  func `changes whose inverse would delete a row are not inverted`(_ size: Int, _ sql: String)
    throws
  {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE word (word PRIMARY KEY COLLATE NOCASE, count);
        INSERT INTO word VALUES ('some', 1);
        CREATE TABLE number (n PRIMARY KEY);
        INSERT INTO number VALUES (1)
        """)
    let session = try connection.session()
    try connection.execute(sql: sql)
    let changeset = try session.changeset()
    // The update of the key, and an insertion of the row that exists.
    #expect(try changeset.changes().count == 2)
    let stream = { Changeset.Stream(chunks(changeset.bytes, of: size)) }
    let rows = try connection.query(.values, sql: "SELECT * FROM word, number").map(\.values)
    let calls: [() throws -> Void] = [
      { _ = try changeset.inverted() },
      { try changeset.forEachInvertedChange { _ in } },
      { try connection.apply(changeset, inverted: true) { _ in .omit } },
      { try stream().inverted { _ in } },
      { try stream().forEachInvertedChange { _ in } },
      { try connection.apply(stream(), inverted: true) { _ in .omit } },
    ]
    for call in calls {
      let error = failure { try call() }
      #expect(error?.code == .constraintPrimaryKey)
      #expect(error?.message.contains("the key of a row of") == true)
    }
    #expect(
      try connection.query(.values, sql: "SELECT * FROM word, number").map(\.values) == rows)
  }

  @Test func `chunks written by sessions and groups equal the bytes they return`() throws {
    let session = try recording.connection.session()
    try recording.connection.execute(sql: sql)
    var (changes, patches, count) = ([UInt8](), [UInt8](), 0)
    try session.changeset {
      changes += $0
      count += 1
    }
    try session.patchset { patches += $0 }
    #expect(try changes == session.changeset().bytes)
    #expect(try patches == session.patchset().bytes)
    #expect(count > 10)
    let group = try Patchset.Group()
    try group.add(
      Patchset.Stream([[], Array(patches.prefix(50)), [], Array(patches.dropFirst(50))]))
    var written: [UInt8] = []
    try group.output { written += $0 }
    #expect(try written == group.output().bytes)
    let copy = try Recording()
    try copy.connection.apply(Patchset.Stream([patches]), filter: { $0 == "tag" })
    #expect(try copy.rows("tag") == recording.rows("tag"))
  }

  @Test func `an error thrown by an output closure ends the stream and is rethrown`() throws {
    let session = try recording.connection.session()
    try recording.connection.execute(sql: sql)
    #expect(throws: ForeignError()) { try session.changeset { _ in throw ForeignError() } }
    #expect(throws: ForeignError()) {
      try Changeset.Stream([session.changeset().bytes]).inverted(to: { _ in throw ForeignError() })
    }
    #expect(try session.changeset().isEmpty == false)
  }

  @Test func `the output closure of a changeset stream cannot use the connection`() throws {
    let session = try recording.connection.session()
    try recording.connection.execute(sql: sql)
    var codes: Set<ResultCode?> = []
    try session.changeset { _ in
      codes.insert(failure { try recording.connection.execute(sql: "DELETE FROM tag") }?.code)
      codes.insert(failure { try session.patchset() }?.code)
      codes.insert(failure { try session.close() }?.code)
      codes.insert(failure { try recording.connection.close() }?.code)
    }
    #expect(codes == [.misuse])
  }

  @Test
  func `a sequence that reads the stream that is reading the sequence receives a misuse error`()
    throws
  {
    final class Loop { var stream: Changeset.Stream? }
    let loop = Loop()
    var code: ResultCode?
    let chunks = AnyIterator<[UInt8]> {
      code = failure { try loop.stream?.forEachChange { _ in } }?.code
      return nil
    }
    loop.stream = Changeset.Stream(AnySequence { chunks })
    try loop.stream?.forEachChange { _ in }
    #expect(code == .misuse)
    loop.stream = nil
  }

  @Test func `the chunk size is validated, and cannot be set after its first use`() async {
    await #expect(processExitsWith: .success) {
      #expect(failure { try SQLiteLibrary.setSessionChunkSize(0) }?.code == .range)
      #expect(failure { try SQLiteLibrary.setSessionChunkSize(.max) }?.code == .range)
      try SQLiteLibrary.setSessionChunkSize(100_000)
      #expect(try SQLiteLibrary.sessionChunkSize == 100_000)
      #expect(failure { try SQLiteLibrary.setSessionChunkSize(5) }?.code == .misuse)
      let recording = try Recording()
      let session = try recording.connection.session()
      try recording.connection.execute(sql: "INSERT INTO tag VALUES (1, 'x', zeroblob(90000))")
      var count = 0
      try session.changeset { _ in count += 1 }
      #expect(count == 1)
    }
  }
}
