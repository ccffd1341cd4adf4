import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `incremental blob access` {
  let db: Connection
  let bytes: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }

  init() throws {
    db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
        CREATE TABLE keyed(a PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE parent(x PRIMARY KEY); CREATE TABLE child(x REFERENCES parent(x), y UNIQUE)
        """)
    try db.execute(sql: "INSERT INTO t VALUES (1, ?, 0)", parameters: .bytes(bytes))
    try db.execute(
      sql: "INSERT INTO t VALUES (2, x'', 0), (3, 'text→', 0), (4, 7, 0), (5, NULL, 0)")
    try db.execute(
      sql: "INSERT INTO parent VALUES (x'00'); INSERT INTO child VALUES (x'00', x'01')")
  }

  private func blob(_ rowid: Int64 = 1, readOnly: Bool = true) throws -> Blob {
    try db.openBlob(table: "t", column: "a", rowid: rowid, readOnly: readOnly)
  }

  @Test func `the read method returns the whole blob or a part`() throws {
    let blob = try blob()
    #expect(blob.count == bytes.count && blob.rowid == 1 && blob.isReadOnly)
    #expect(blob.connection === db)
    #expect(try blob.read() == bytes)
    #expect(try blob.read(at: 99_990) == Array(bytes[99_990...]))
    #expect(try blob.read(at: 5000, count: 20) == Array(bytes[5000..<5020]))
    #expect(try blob.read(at: 100_000) == [])
    var piece = ContiguousArray<UInt8>(repeating: 0, count: 10)
    var span = piece.mutableSpan
    try blob.read(into: &span, at: 50_000)
    #expect(Array(piece) == Array(bytes[50_000..<50_010]))
  }

  @Test func `openBlob throws if a generated column would make SQLite open another column`() throws
  {
    let db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE g("a'" BLOB, v AS (x'ff'), b BLOB, c BLOB);
        INSERT INTO g VALUES (x'01', x'02', x'03')
        """)
    for column in ["v", "b", "C"] {
      for isReadOnly in [true, false] {
        let error = failure {
          try db.openBlob(table: "g", column: column, rowid: 1, readOnly: isReadOnly)
        }
        #expect(error?.code == .schema)
      }
    }
    // Newer SQLite versions open no blob in a table with a generated column.
    if let blob = try? db.openBlob(table: "g", column: "A'", rowid: 1) {
      #expect(try blob.read() == [1])
    }
  }

  @Test func `writing part of a blob leaves the rest unchanged`() throws {
    let blob = try blob(readOnly: false)
    try blob.write([1, 2, 3], at: 40_000)
    try blob.write(ContiguousArray([9, 9]).span, at: 99_998)
    try blob.write([])
    #expect(try blob.read(at: 39_999, count: 5) == [bytes[39_999], 1, 2, 3, bytes[40_003]])
    try blob.close()
    var expected = bytes
    expected.replaceSubrange(40_000..<40_003, with: [1, 2, 3])
    expected.replaceSubrange(99_998..., with: [9, 9])
    #expect(try db.value("SELECT a FROM t WHERE id = 1") == .blob(expected))
  }

  @Test(arguments: [100, 777, 4096, 99_999, 100_000, 100_001, Int.max])
  func `forEachChunk passes the whole blob in order`(size: Int) throws {
    var read: [UInt8] = []
    var sizes: Set<Int> = []
    try blob().forEachChunk(of: size) { piece in
      sizes.insert(piece.count)
      for index in piece.indices { read.append(piece[index]) }
    }
    #expect(read == bytes)
    #expect(sizes.max() == min(size, bytes.count))
  }

  @Test func `writing chunks fills a zero-blob`() throws {
    try db.execute(
      sql: "INSERT INTO t VALUES (9, ?, 0)", parameters: .zeroBlob(count: bytes.count))
    let blob = try blob(9, readOnly: false)
    let pieces = stride(from: 0, to: bytes.count, by: 999).map {
      Array(bytes[$0..<min($0 + 999, bytes.count)])
    }
    #expect(try blob.write(chunks: pieces.lazy) == bytes.count)
    try blob.close()
    #expect(try db.value("SELECT a FROM t WHERE id = 9") == .blob(bytes))
  }

  @Test
  func `writing chunks beyond the end of a blob throws after the chunks that fit are written`()
    throws
  {
    let blob = try blob(readOnly: false)
    #expect(
      failure { try blob.write(chunks: [[1], [2], [3]], at: 99_998) }?.code == .range)
    #expect(try blob.read(at: 99_997) == [bytes[99_997], 1, 2])
  }

  @Test(arguments: [
    (-1, 1), (0, 100_001), (100_000, 1), (100_001, 0), (Int.max, 1), (1, Int.max), (Int.min, 0),
    (0, -1), (0, Int.min), (Int.max, Int.max), (1 << 32, 1),
  ])
  func `an access beyond the bounds of a blob throws, and reads and writes nothing`(
    offset: Int, count: Int
  )
    throws
  {
    let blob = try blob(readOnly: false)
    #expect(failure { try blob.read(at: offset, count: count) }?.code == .range)
    if (0...200_000).contains(count) {
      var piece = ContiguousArray<UInt8>(repeating: 7, count: count)
      #expect(failure { try blob.write(Array(piece), at: offset) }?.code == .range)
      #expect(
        failure {
          var span = piece.mutableSpan
          try blob.read(into: &span, at: offset)
        }?.code == .range)
      #expect(piece.allSatisfy { $0 == 7 })
    }
    #expect(try blob.read() == bytes)
  }

  @Test(arguments: [0, -1, Int.min]) func `a blob chunk size of zero or less throws`(size: Int)
    throws
  {
    let blob = try blob()
    #expect(failure { try blob.forEachChunk(of: size) { _ in } }?.code == .range)
    #expect(failure { try blob.read(at: -1) }?.code == .range)
  }

  @Test func `an error thrown by the closure of forEachChunk ends the iteration`() throws {
    let blob = try blob()
    var calls = 0
    #expect(throws: ForeignError.self) {
      try blob.forEachChunk(of: 10) { _ in
        calls += 1
        if calls == 2 { throw ForeignError() }
      }
    }
    #expect(calls == 2)
    #expect(
      failure { try blob.forEachChunk(of: 10) { _ in try blob.reopen(at: 3) } }?.code == .misuse)
    #expect(failure { try blob.forEachChunk(of: 1) { _ in try blob.close() } }?.code == .misuse)
  }

  @Test func `an empty blob can be read and written, and a text value is read as UTF-8 bytes`()
    throws
  {
    let empty = try blob(2, readOnly: false)
    #expect(empty.count == 0)
    #expect(try empty.read() == [])
    try empty.write([])
    try empty.forEachChunk { _ in Issue.record("There is no piece") }
    #expect(failure { try empty.write([1]) }?.code == .range)
    let text = try blob(3)
    #expect(try text.read() == Array("text→".utf8))
  }

  @Test func `reopening a blob opens the value of another row`() throws {
    let blob = try blob(readOnly: false)
    try blob.reopen(at: 3)
    #expect(blob.rowid == 3 && blob.count == 7)
    try blob.write(Array("TEXT".utf8))
    try blob.reopen(at: 1)
    #expect(try blob.read() == bytes)
    try blob.close()
    #expect(try db.value("SELECT a FROM t WHERE id = 3") == "TEXT→")
  }

  @Test(arguments: [4, 5, 6, Int64.min]) func `a failed reopen leaves the blob unusable`(
    rowid: Int64
  ) throws {
    let blob = try blob()
    #expect(failure { try blob.reopen(at: rowid) }?.code == .error)
    #expect(failure { try blob.read() }?.code == .abort)
    #expect(failure { try blob.read(at: 500_000, count: 1) }?.code == .abort)
    #expect(failure { try blob.reopen(at: 1) }?.code == .abort)
    try blob.close()
    #expect(failure { try blob.read() }?.code == .misuse)
  }

  @Test(arguments: [
    ("t", "a", 4), ("t", "a", 5), ("t", "a", 6), ("t", "none", 1), ("none", "a", 1),
    ("keyed", "a", 1), ("", "", 0), ("t; DROP TABLE t", "a", 1),
  ])
  func `opening a missing value, or one that is neither a blob nor text, as a blob throws`(
    table: String, column: String, rowid: Int64
  ) throws {
    #expect(
      failure { try db.openBlob(table: table, column: column, rowid: rowid) }?.code == .error)
    #expect(try db.integers("SELECT count(*) FROM t") == [5])
  }

  @Test func `openBlob rejects writing to a column of an index or a foreign key`() throws {
    for column in ["x", "y"] {
      #expect(try db.openBlob(table: "child", column: column, rowid: 1).count == 1)
      let error = failure {
        try db.openBlob(table: "child", column: column, rowid: 1, readOnly: false)
      }
      #expect(error?.code == .error)
    }
  }

  @Test(arguments: ["none", "", "main\0"])
  func `openBlob throws for an unknown database name or a name with a NUL`(name: String) throws {
    let expected: ResultCode = name.contains("\0") ? .misuse : .range
    #expect(
      failure { try db.openBlob(table: "t", column: "a", rowid: 1, database: name) }?.code
        == expected)
    #expect(failure { try db.openBlob(table: "t\0", column: "a", rowid: 1) }?.code == .misuse)
    #expect(failure { try db.openBlob(table: "t", column: "a\0", rowid: 1) }?.code == .misuse)
  }

  @Test func `the schema name of openBlob selects the attached database`() throws {
    try db.attach(path: ":memory:", as: "b")
    try db.execute(sql: "CREATE TABLE b.t(a); INSERT INTO b.t VALUES (x'07')")
    #expect(try db.openBlob(table: "t", column: "a", rowid: 1, database: "b").read() == [7])
  }

  @Test func `a read-only blob or connection rejects writes`() throws {
    let blob = try blob()
    #expect(failure { try blob.write([1]) }?.code == .readOnly)
    #expect(try blob.read() == bytes)
    let folder = try TestFolder()
    try Connection(path: folder.file()).execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (x'00')")
    let reader = try Connection(path: folder.file(), readOnly: true)
    #expect(try reader.openBlob(table: "t", column: "a", rowid: 1).read() == [0])
    #expect(
      failure { try reader.openBlob(table: "t", column: "a", rowid: 1, readOnly: false) }?.code
        == .readOnly)
  }

  @Test(arguments: ["UPDATE t SET b = 1", "DELETE FROM t", "REPLACE INTO t VALUES (1, x'00', 0)"])
  func `changing, deleting or replacing a row expires its blobs`(sql: String) throws {
    for isReadOnly in [true, false] {
      try db.transaction { db, command in
        let blob = try blob(readOnly: isReadOnly)
        try db.execute(sql: sql)
        for _ in 0..<2 {
          #expect(failure { try blob.read(at: 0, count: 0) }?.code.primary == .abort)
          #expect(failure { try blob.read(at: -1, count: 0) }?.code.primary == .abort)
          if !isReadOnly { #expect(failure { try blob.write([1]) }?.code.primary != nil) }
        }
        try blob.close()
        command = .rollback
      }
    }
    #expect(try blob().read() == bytes)
  }

  @Test func `changing another row does not expire a blob`() throws {
    let blob = try blob()
    try db.execute(sql: "UPDATE t SET b = 1 WHERE id = 2; INSERT INTO t VALUES (7, 7, 7)")
    #expect(try blob.read() == bytes)
  }
}
