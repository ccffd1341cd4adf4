import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks)) struct `autovacuum handlers` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file())
    try db.execute(sql: "PRAGMA auto_vacuum = full; CREATE TABLE t(a)")
  }

  /// Writes and frees pages, and returns the number of free pages after the commit.
  private func freePages() throws -> Int {
    try db.execute(sql: "INSERT INTO t VALUES (zeroblob(100000)); DELETE FROM t")
    return try db.integers("PRAGMA freelist_count")[0]
  }

  @Test(arguments: [0, -1, .min, 5, 1_000_000, .max])
  func `a commit frees the number of pages that the autovacuum handler returns`(_ count: Int) throws
  {
    var files: [Autovacuum] = []
    try db.setAutovacuumHandler { file in
      if file.freePageCount > 0 { files.append(file) }
      return count
    }
    let left = try freePages()
    let file = try #require(files.last)
    #expect(file.schema == "main")
    #expect(file.pageSize == 4096)
    #expect(file.pageCount > file.freePageCount && file.freePageCount > 20)
    #expect(left == file.freePageCount - min(max(0, count), file.freePageCount))
    try db.setAutovacuumHandler(nil)
    #expect(try freePages() == 0)
  }
}
