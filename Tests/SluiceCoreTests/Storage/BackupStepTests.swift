import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `stepping a backup` {
  let source: Connection
  let target: Connection

  init() throws {
    source = try Connection()
    try source.fill(rows: 200)
    target = try Connection()
  }

  @Test func `a backup step returns whether pages remain, and by default copies all of them`()
    throws
  {
    let backup = try Backup(of: source, to: target)
    #expect(backup.source === source && backup.target === target)
    #expect(backup.remainingPages == 0 && backup.pageCount == 0 && !backup.isDone)
    #expect(try backup.step(pages: 1))
    #expect(backup.remainingPages == backup.pageCount - 1 && !backup.isDone)
    #expect(try !backup.step())
    #expect(backup.remainingPages == 0 && backup.isDone)
    #expect(try target.content == source.content)
    try target.execute(sql: "DELETE FROM t")
    #expect(try !backup.step())
    try backup.cancel()
    #expect(backup.isDone)
    #expect(try target.integers("SELECT count(*) FROM t") == [0])
  }

  @Test(arguments: [0, -1, Int.min]) func `a backup step of zero or fewer pages throws`(pages: Int)
    throws
  {
    let backup = try Backup(of: source, to: target)
    #expect(failure { try backup.step(pages: pages) }?.code == .range)
    #expect(try !backup.step())
  }

  @Test func `stepping a cancelled backup throws misuse`() throws {
    let backup = try Backup(of: source, to: target)
    #expect(try backup.step(pages: 1))
    try backup.cancel()
    try backup.cancel()
    #expect(failure { try backup.step() }?.code == .misuse)
    #expect(!backup.isDone)
    #expect(try target.integers("SELECT count(*) FROM sqlite_schema") == [0])
  }

  @Test func `releasing a backup cancels the backup`() throws {
    do {
      let backup = try Backup(of: source, to: target)
      #expect(try backup.step(pages: 1))
    }
    try target.execute(sql: "CREATE TABLE fresh(a)")
    try source.execute(sql: "VACUUM")
  }

  @Test(arguments: [true, false]) func `closing a connection ends its backups`(isSource: Bool)
    throws
  {
    let backup = try Backup(of: source, to: target)
    let second = try isSource ? Backup(of: source, to: Connection()) : nil
    #expect(try backup.step(pages: 1))
    try (isSource ? source : target).close()
    #expect(failure { try backup.step() }?.code == .misuse)
    #expect(failure { _ = try second?.step() }?.code == (isSource ? .misuse : nil))
    try backup.cancel()
    if isSource {
      try target.execute(sql: "CREATE TABLE fresh(a)")
      try target.close()
    }
  }

  @Test func `a backup retains its connections`() throws {
    weak var weakSource: Connection?
    weak var weakTarget: Connection?
    do {
      let backup: Backup
      do {
        let source = try Connection()
        try source.fill(rows: 10)
        let target = try Connection()
        (weakSource, weakTarget) = (source, target)
        backup = try Backup(of: source, to: target)
      }
      #expect(try !backup.step())
    }
    #expect(weakSource == nil && weakTarget == nil)
  }

  @Test func `two backups of one source do not affect each other`() throws {
    let other = try Connection()
    let first = try Backup(of: source, to: target)
    let second = try Backup(of: source, to: other)
    #expect(try first.step(pages: 1))
    #expect(try second.step(pages: 2))
    try source.execute(sql: "UPDATE t SET a = a + 1")
    #expect(try !second.step())
    #expect(try !first.step())
    #expect(try target.content == source.content)
    #expect(try other.content == source.content)
  }

  @Test func `a fatal error ends a backup, and each later step throws the error again`() throws {
    try target.execute(sql: "PRAGMA page_size = 512; CREATE TABLE old(x)")
    let backup = try Backup(of: source, to: target)
    for _ in 0..<2 { #expect(failure { try backup.step() }?.code == .readOnly) }
    try target.execute(sql: "INSERT INTO old VALUES (1)")
  }

  @Test func `an SQL function of the source can step a backup, but a collation cannot`() throws {
    let backup = try Backup(of: source, to: target)
    try source.addFunction("f", arity: 0) { _ in .integer(try backup.step(pages: 1) ? 1 : 0) }
    #expect(try source.integers("SELECT f()") == [1])
    var code: ResultCode?
    try source.addCollation("c") { first, second in
      code = failure { try backup.step(pages: 1) }?.code
      return SQLOrder(first, second)
    }
    try source.execute(sql: "SELECT 'a' < 'b' COLLATE c")
    #expect(code == .misuse)
    try source.removeFunction("f", arity: 0)
    try source.removeCollation("c")
    #expect(try !backup.step())
  }

  @Test
  func `a statement of the backup target that is released during the backup is finalized later`()
    throws
  {
    try target.execute(sql: "CREATE TABLE old(x)")
    do {
      let statement = try target.prepare(sql: "SELECT * FROM old")
      let backup = try Backup(of: source, to: target)
      _ = statement.sql
      #expect(try !backup.step())
    }
    try target.execute(sql: "DROP TABLE t")
    try target.close()
  }

  @Test func `a backup can be stepped inside the access of a queue`() throws {
    let queue = try ConnectionQueue()
    let count = try queue.sync { connection in
      try connection.fill(rows: 100)
      let target = try Connection()
      let backup = try Backup(of: connection, to: target)
      while try backup.step(pages: 1) {}
      return try target.integers("SELECT count(*) FROM t")
    }
    #expect(count == [100])
  }
}
