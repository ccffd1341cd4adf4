import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live queries on a read queue` {
  private let folder: TestFolder
  private let writer: ConnectionQueue
  private let reader: ConnectionReadQueue

  init() throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    writer = try ConnectionQueue(path: folder.file(), configuration: configuration)
    try writer.sync { try $0.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)") }
    reader = try ConnectionReadQueue(writeQueue: writer)
  }

  @Test func `a live query on a read queue emits for each commit of the write queue`() async throws
  {
    var found: [Int] = []
    for try await count in reader.observe(.column(.int), sql: "SELECT count(*) FROM t") {
      found += count
      if count[0] == 3 { break }
      try await writer.perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(found == [0, 1, 2, 3])
  }

  @Test func `noticeOtherWriters makes a live query emit once for another writer's commit`()
    async throws
  {
    let recorder = Recorder<[Int]>(.unlimited)
    writer.observe(.column(.int), sql: "SELECT count(*) FROM t").subscribe(recorder)
    writer.settle()
    let other = try ConnectionQueue(path: folder.file())
    try await other.perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    writer.settle()
    #expect(recorder.values == [[0]])
    writer.noticeOtherWriters()
    writer.settle()
    #expect(recorder.values == [[0], [1]])
    writer.noticeOtherWriters()
    writer.settle()
    #expect(recorder.values == [[0], [1]])
  }

  @Test func `noticeOtherWriters makes a live query emit on a read queue without a write queue`()
    async throws
  {
    let alone = try ConnectionReadQueue(path: folder.file())
    var iterator = alone.observe(.column(.int), sql: "SELECT count(*) FROM t").makeAsyncIterator()
    #expect(try await iterator.next() == [0])
    try await writer.perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    alone.noticeOtherWriters()
    #expect(try await iterator.next() == [1])
  }

  @Test func `table changes name the written tables and are merged for a slow subscriber`() throws {
    let recorder = Recorder<TableChanges>(.max(1))
    writer.tableChanges().subscribe(recorder)
    writer.settle()
    for sql in ["INSERT INTO t VALUES (1)", "DELETE FROM t", "INSERT INTO U VALUES (1)"] {
      try writer.sync { try $0.execute(sql: sql) }
      writer.settle()
    }
    #expect(recorder.values.map(\.tables) == [["t"]])
    recorder.subscription?.request(.unlimited)
    writer.settle()
    #expect(recorder.values.map(\.tables) == [["t"], ["t", "u"]])
    #expect(recorder.values.allSatisfy { !$0.isUnknown && $0.touches("T") && !$0.touches("v") })
    try writer.sync { try $0.execute(sql: "BEGIN; DELETE FROM u; ROLLBACK") }
    writer.settle()
    #expect(recorder.values.count == 2)
  }
}
