import Foundation
import Sluice
import SluiceCommand
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `database files as command arguments` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder([:]) }

  @Test(arguments: [
    ("@/none.db", "@/none.db does not exist"),
    ("@/no/where.db", "@/no/where.db does not exist"),
    ("", "The path of the database must not be empty"),
    ("-", "- does not exist"),
    ("/dev/null", "/dev/null is not a regular file"),
    ("@/junk.db", "@/junk.db is not an SQLite database, or is encrypted"),
    ("@/short.db", "@/short.db is not an SQLite database, or is encrypted"),
    ("@/loop.db", "@/loop.db"),
    (String(repeating: "x", count: 5000), "xxx"),
  ]) func `each command reports a path that is not a database`(path: String, message: String) throws
  {
    try project.write(String(repeating: "junk", count: 100), "@/junk.db")
    try project.write("SQLite format 3\0", "@/short.db")
    try FileManager.default.createSymbolicLink(
      atPath: project.full("@/loop.db"), withDestinationPath: project.full("@/loop.db"))
    try project.write("SELECT 1", "@/Migrations/1.sql")
    let bytes = try project.bytes
    for run in [
      project.run("schema", path), project.run("doctor", path),
      project.run("explain", path, "SELECT 1"),
      project.run("migrate", "--dry-run", path, "@/Migrations"),
      project.run("migrate", path, "@/Migrations"),
    ] {
      #expect(run.code == .failure)
      #expect(run.output.isEmpty)
      #expect(run.messages.hasPrefix("sluice: error: \(message)"))
    }
    #expect(try project.bytes == bytes)
  }

  @Test func `doctor rejects a folder, and schema rejects a folder without migrations`() {
    #expect(
      project.run("doctor", "@").messages == "sluice: error: @ is a folder, not a database\n")
    #expect(
      project.run("schema", "@").messages == "sluice: error: @ contains no migrations\n")
  }

  @Test func `an empty file opens as an empty database`() throws {
    try project.write("", "@/empty.db")
    #expect(project.run("schema", "@/empty.db").output == "There are no tables.\n")
    #expect(project.run("doctor", "@/empty.db").code == .success)
    #expect(try project.bytes == ["empty.db": Data()])
  }

  @Test(arguments: ["it's \"q\".db", "a?b#c%41&mode=rw.db", "file:x.db", "é ü.db", "a\\b;.db"])
  func `a database file name can contain special characters`(name: String) throws {
    try project.execute("CREATE TABLE t(a)", "@/\(name)")
    try project.execute("PRAGMA journal_mode = wal", "@/\(name)")
    let run = project.run("schema", "@/\(name)")
    #expect(run.output == "table t\n  a\n")
    #expect(try project.bytes.keys.sorted() == [name])
  }

  @Test func `schema follows a symbolic link to a database`() throws {
    try project.execute("PRAGMA journal_mode = wal; CREATE TABLE t(a)")
    try FileManager.default.createSymbolicLink(
      atPath: project.full("@/link.db"), withDestinationPath: project.full("@/app.db"))
    #expect(project.run("schema", "@/link.db").output == "table t\n  a\n")
    #expect(try project.bytes.keys.sorted() == ["app.db", "link.db"])
  }

  @Test func `schema and doctor read an unused WAL without creating or changing files`() throws {
    let writer = try Connection(path: project.full("@/live.db"))
    try writer.execute(
      sql: "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    // The copy has no WAL index; its files look as if their process had been killed.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: project.full("@/live.db\(suffix)"), toPath: project.full("@/left.db\(suffix)"))
    }
    try writer.close()
    let bytes = try project.bytes
    #expect(project.run("schema", "@/left.db").output == "table t\n  a\n")
    let run = project.run("doctor", "@/left.db")
    #expect(run.code == .success)
    #expect(run.output.contains("\n  journal       wal\n  WAL           12392 bytes: 3 frames\n"))
    #expect(try project.bytes == bytes)
    #expect(bytes["left.db-wal"]?.count == 12392)
  }

  @Test func `schema reports a journal with an unfinished transaction`() throws {
    try project.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let writer = try Connection(path: project.full("@/app.db"))
    try writer.execute(sql: "PRAGMA cache_spill = 1; PRAGMA cache_size = 1")
    try writer.transaction { connection, command in
      try connection.execute(
        sql: "INSERT INTO t SELECT zeroblob(3000) FROM (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9))"
      )
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(
          atPath: project.full("@/app.db\(suffix)"), toPath: project.full("@/left.db\(suffix)"))
      }
      command = .rollback
    }
    let bytes = try project.bytes
    let run = project.run("schema", "@/left.db")
    #expect(run.code == .failure)
    #expect(
      run.messages == """
        sluice: error: @/left.db has an unfinished transaction; open it with a program that can \
        write

        """)
    #expect(try project.bytes == bytes)
  }

  @Test func `a command that reads a file without a lock reads it again if the file changes`() async
  {
    await #expect(processExitsWith: .success) {
      let project = try ProjectFolder([:])
      for (name, column) in [("app", "old"), ("next", "new")] {
        try project.execute(
          "PRAGMA journal_mode = wal; CREATE TABLE t(\(column)); CREATE TABLE \(name)(a)",
          "@/\(name).db")
      }
      try project.execute("CREATE TABLE more(a)", "@/next.db")
      let (path, next) = (project.full("@/app.db"), try project.bytes["next.db"])
      let changing = ChangingFileSystem {
        #expect(failure { try next?.write(to: URL(filePath: path)) } == nil)
      }
      try SQLiteLibrary.addFileSystem("changing", changing, isDefault: true)
      let run = project.run("schema", "--table", "t", "@/app.db")
      #expect(changing.hasChanged)
      #expect(run.output == "table t\n  new\n")
    }
  }
}

/// The default file system, except that a file changes after its first page has been read.
private struct ChangingFileSystem: VirtualFileSystemShim {
  private let change: @Sendable () -> Void
  private let once = Once()

  init(_ change: @escaping @Sendable () -> Void) { self.change = change }

  var hasChanged: Bool { once.isOver }

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    ChangingFile(base: try base.open(request)) { if once.pass() { change() } }
  }
}

private struct ChangingFile: VirtualFileShim {
  let base: any VirtualFile
  let hasRead: @Sendable () -> Void

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    let count = try base.read(into: &bytes, at: offset)
    // The header of the file is read first, with fewer bytes than a page.
    if bytes.count >= 512 { hasRead() }
    return count
  }
}

private final class Once: Sendable {
  private let state = Mutex(false)
  var isOver: Bool { state.withLock { $0 } }

  func pass() -> Bool {
    state.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}
