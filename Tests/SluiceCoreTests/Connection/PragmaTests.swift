import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `pragmas` {
  /// Sets each value and reads it back, both as a typed value and in SQL.
  private func expect<Value: Equatable>(
    _ pragma: DatabasePragma<Value>, _ name: String, _ values: [(Value, DatabaseValue)],
    on connection: Connection, database: String = "main"
  ) throws {
    for (value, told) in values {
      try connection.setPragma(pragma, to: value, database: database)
      #expect(try connection.pragma(pragma, database: database) == value)
      #expect(try connection.value("PRAGMA \(database).\(name)") == told, "\(name)")
    }
  }

  @Test(arguments: ["main", "b"]) func `a database pragma reads back the value that was set`(
    database: String
  ) throws {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.attach(path: folder.file("b.db"), as: "b")
    try expect(.pageSize, "page_size", [(8192, 8192), (512, 512)], on: db, database: database)
    try expect(
      .autoVacuum, "auto_vacuum", [(.full, 1), (.incremental, 2)], on: db,
      database: database)
    try db.execute(sql: "CREATE TABLE \(database).t(a)")
    try expect(
      .journalMode, "journal_mode",
      [
        (.truncate, "truncate"), (.persist, "persist"), (.memory, "memory"), (.off, "off"),
        (.wal, "wal"), (.delete, "delete"),
      ], on: db, database: database)
    try expect(
      .synchronous, "synchronous", [(.off, 0), (.normal, 1), (.extra, 3), (.full, 2)], on: db,
      database: database)
    try expect(
      .secureDelete, "secure_delete", [(.off, 0), (.fast, 2), (.on, 1)], on: db, database: database)
    try expect(
      .cacheSize, "cache_size",
      [(.pages(100), 100), (.kibibytes(500), -500), (.pages(0), 0), (.kibibytes(0), 0)].dropLast(),
      on: db, database: database)
    try expect(.mmapSize, "mmap_size", [(65_536, 65_536), (0, 0)], on: db, database: database)
    try expect(
      .maxPageCount, "max_page_count", [(1000, 1000), (100_000, 100_000)], on: db,
      database: database)
    try expect(
      .journalSizeLimit, "journal_size_limit", [(0, 0), (1000, 1000), (nil, -1)], on: db,
      database: database)
    try expect(
      .lockingMode, "locking_mode", [(.exclusive, "exclusive"), (.normal, "normal")], on: db,
      database: database)
  }

  @Test func `setting a pragma of a database leaves other databases unchanged`() throws {
    let connection = try Connection()
    try connection.attach(path: ":memory:", as: "b\"; DROP TABLE t; --")
    let name = "b\"; DROP TABLE t; --"
    try connection.setPragma(.cacheSize, to: .pages(77), database: name)
    #expect(try connection.pragma(.cacheSize, database: name) == .pages(77))
    #expect(try connection.pragma(.cacheSize) != .pages(77))
  }

  @Test func `a connection pragma reads back the value that was set`() throws {
    let db = try Connection()
    let flags: [(ConnectionPragma<Bool>, String)] = [
      (.recursiveTriggers, "recursive_triggers"), (.cellSizeCheck, "cell_size_check"),
      (.ignoreCheckConstraints, "ignore_check_constraints"),
      (.automaticIndex, "automatic_index"), (.readUncommitted, "read_uncommitted"),
      (.fullFsync, "fullfsync"), (.checkpointFullFsync, "checkpoint_fullfsync"),
      (.queryOnly, "query_only"),
    ]
    for (pragma, name) in flags {
      for isOn in [true, false, true, false] {
        try db.setPragma(pragma, to: isOn)
        #expect(try db.pragma(pragma) == isOn)
        #expect(try db.value("PRAGMA \(name)") == (isOn ? 1 : 0), "\(name)")
      }
    }
    for (storage, number) in zip(TemporaryStorage.allCases, 0...) {
      try db.setPragma(.temporaryStorage, to: storage)
      #expect(try db.pragma(.temporaryStorage) == storage)
      #expect(try db.value("PRAGMA temp_store") == .integer(Int64(number)))
    }
    try db.setPragma(.analysisLimit, to: 400)
    #expect(try db.pragma(.analysisLimit) == 400)
    for encoding in TextEncoding.allCases.reversed() {
      try db.setPragma(.encoding, to: encoding)
      #expect(try db.pragma(.encoding) == encoding)
    }
  }

  @Test func `a query-only connection rejects writes`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    try connection.setPragma(.queryOnly, to: true)
    #expect(failure { try connection.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .readOnly)
    try connection.setPragma(.queryOnly, to: false)
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
  }

  @Test func `the deferForeignKeys pragma is reset when the transaction ends`() throws {
    let connection = try Connection()
    try connection.begin()
    try connection.setPragma(.deferForeignKeys, to: true)
    #expect(try connection.pragma(.deferForeignKeys))
    try connection.commit()
    #expect(try !connection.pragma(.deferForeignKeys))
  }
}

@Suite(.tags(.settings)) struct `rejected pragmas` {
  @Test func `setting WAL mode on an in-memory database throws`() throws {
    let connection = try Connection()
    let error = failure { try connection.setPragma(.journalMode, to: .wal) }
    #expect(error?.code == .misuse)
    #expect(
      error?.message == "SQLite keeps journal_mode at 'memory' and does not change it to 'wal' now")
    #expect(try connection.pragma(.journalMode) == .memory)
  }

  @Test func `changing the journal mode or synchronous inside a transaction throws`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1)")
    for mode in [Configuration.JournalMode.wal, .truncate, .off] {
      #expect(failure { try connection.setPragma(.journalMode, to: mode) } != nil, "\(mode)")
      #expect(try connection.pragma(.journalMode) == .delete)
    }
    #expect(failure { try connection.setPragma(.synchronous, to: .off) }?.code == .error)
    try connection.rollback()
    #expect(try connection.pragma(.synchronous) == .full)
  }

  @Test func `leaving WAL mode throws busy while a reader is active`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file(), configuration: .impatientWAL)
    try connection.execute(sql: "CREATE TABLE t(a)")
    let reader = try Connection(path: folder.file())
    try reader.beginReadTransaction()
    #expect(failure { try connection.setPragma(.journalMode, to: .delete) }?.code == .busy)
    #expect(try connection.pragma(.journalMode) == .wal)
    try reader.close()
    try connection.setPragma(.journalMode, to: .delete)
  }

  @Test func `a rejected page size, auto-vacuum or encoding does not apply at the next VACUUM`()
    throws
  {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(failure { try connection.setPragma(.pageSize, to: 8192) }?.code == .misuse)
    #expect(failure { try connection.setPragma(.autoVacuum, to: .full) }?.code == .misuse)
    #expect(failure { try connection.setPragma(.encoding, to: .utf16BigEndian) }?.code == .misuse)
    try connection.vacuum()
    #expect(try connection.pragma(.pageSize) == 4096)
    #expect(try connection.pragma(.autoVacuum) == .none)
    #expect(try connection.pragma(.encoding) == .utf8)
  }

  @Test func `an in-memory database rejects mmap and a page limit below its page count`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)")
    #expect(try connection.pragma(.mmapSize) == 0)
    #expect(failure { try connection.setPragma(.mmapSize, to: 65_536) }?.code == .misuse)
    #expect(failure { try connection.setPragma(.maxPageCount, to: 1) }?.code == .misuse)
    try connection.execute(sql: "CREATE TABLE v(a)")
  }

  @Test(arguments: impossibleIndexes) func `setting a pragma to a value out of range throws`(
    number: Int
  ) throws {
    let db = try Connection()
    if number < 0 || number > Int(Int32.max) {
      #expect(failure { try db.setPragma(.cacheSize, to: .pages(number)) }?.code == .range)
      #expect(failure { try db.setPragma(.cacheSize, to: .kibibytes(number)) }?.code == .range)
      #expect(failure { try db.setPragma(.analysisLimit, to: number) }?.code == .range)
    }
    if number < 0 {
      #expect(failure { try db.setPragma(.mmapSize, to: number) }?.code == .range)
      #expect(failure { try db.setPragma(.maxPageCount, to: number) }?.code == .range)
      #expect(failure { try db.setPragma(.journalSizeLimit, to: number) }?.code == .range)
    }
    #expect(failure { try db.setPragma(.pageSize, to: number) }?.code == .range)
    #expect(failure { try db.vacuum(pageSize: number) }?.code == .range)
  }

  @Test func `setting a page size that is not a power of two throws`() throws {
    let connection = try Connection()
    #expect(failure { try connection.setPragma(.pageSize, to: 5000) }?.code == .misuse)
    #expect(failure { try connection.vacuum(pageSize: 5000) }?.code == .range)
  }

  @Test(arguments: ["", "x", "main; --"])
  func `reading or setting a pragma of an unknown database throws`(name: String)
    throws
  {
    let db = try Connection()
    #expect(failure { try db.pragma(.cacheSize, database: name) }?.code == .range)
    #expect(failure { try db.setPragma(.cacheSize, to: .pages(1), database: name) }?.code == .range)
    #expect(failure { try db.vacuum(database: name) }?.code == .range)
    #expect(failure { try db.incrementalVacuum(database: name) }?.code == .range)
    #expect(failure { try db.optimize(database: name) }?.code == .range)
    #expect(failure { try db.pageCount(database: name) }?.code == .range)
    #expect(failure { try db.integrityProblems(database: name) }?.code == .range)
    #expect(failure { try db.foreignKeyViolations(database: name) }?.code == .range)
  }
}
