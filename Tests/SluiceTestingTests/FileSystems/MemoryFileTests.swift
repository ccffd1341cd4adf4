import SluiceTesting
import TestSupport
import Testing

@Suite struct `the in-memory file system` {
  @Test func `files can be copied and removed, and a removed file stays readable while it is open`()
    throws
  {
    let memory = MemoryFileSystem()
    let system = try RegisteredFileSystem(memory)
    #expect(memory["a.db"] == nil)
    try system.connection("a.db").execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    memory["b.db"] = memory["a.db"]
    let copy = try system.connection("b.db")
    try copy.execute(sql: "INSERT INTO t VALUES (2)")
    let count = "SELECT count(*) FROM t"
    #expect(try copy.first(.column(.int), sql: count) == 2)
    #expect(try system.connection("a.db").first(.column(.int), sql: count) == 1)
    #expect(memory.paths == ["/a.db", "/b.db"])
    memory.removeAll()
    #expect(memory.paths.isEmpty)
    // A connection that has the file open can still read it.
    #expect(try copy.first(.column(.int), sql: count) == 2)
  }

  @Test func `releasing a registered file system unregisters its name`() throws {
    let name = try RegisteredFileSystem(MemoryFileSystem()).name
    #expect(failure { _ = try SQLiteLibrary.fileSystem(named: name) }?.code == .notFound)
  }
}
