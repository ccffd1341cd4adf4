import Foundation
import Sluice
import TestSupport

/// A public member with an index, a size or a similar parameter, and its outcome for impossible numbers.
struct NumberEntry<Subject: ~Copyable>: Sendable {
  let symbol: String
  let refusal: @Sendable (Int) -> ResultCode?
  let use: @Sendable (borrowing Subject, Int) throws -> Void

  init<Result: ~Copyable>(
    _ symbol: String, refusal: @escaping @Sendable (Int) -> ResultCode? = { _ in .range },
    _ use: @escaping @Sendable (borrowing Subject, Int) throws -> Result
  ) {
    self.symbol = symbol
    self.refusal = refusal
    self.use = { subject, number in _ = try use(subject, number) }
  }

  /// Returns the entry for one number, which throws the same code in every situation.
  func callAsFunction(_ number: Int) -> Entry<Subject> {
    Entry(symbol, .never) { [use] subject in try use(subject, number) }
  }
}

/// Every public member with a numeric parameter that is not a value to store.
enum NumberMatrix {
  /// Numbers that are not a valid index or size, even if only 32 bits of them are considered.
  static let numbers = [
    .min, .max, .min + 1, .max - 1, Int(Int32.min), Int(Int32.max), Int(Int32.max) + 1,
    Int(Int32.min) - 1, Int(UInt32.max), 1 << 32, 1 << 32 | 1, -1 << 32, 1 << 62, -2, 128,
  ]

  static let connection: [NumberEntry<Connection>] = [
    NumberEntry("Connection.addFunction(_:arity:options:_:)", refusal: arity) {
      try $0.addFunction("f", arity: $1) { _ in 1 }
    },
    NumberEntry("Connection.addAggregateFunction(_:arity:options:_:)", refusal: arity) {
      try $0.addAggregateFunction("f", arity: $1) { Sum() }
    },
    NumberEntry("Connection.addAggregateFunction(_:arity:options:_:)", refusal: arity) {
      try $0.addAggregateFunction("f", arity: $1) { WindowSum() }
    },
    NumberEntry("Connection.removeFunction(_:arity:)", refusal: arity) {
      try $0.removeFunction("f", arity: $1)
    },
    NumberEntry("SQLBindable.zeroBlob(count:)", refusal: blob) {
      try $0.execute(sql: "SELECT ?", parameters: .zeroBlob(count: $1))
    },
    NumberEntry("TableMapper.all(in:where:orderBy:limit:)", refusal: none) {
      try MisuseMatrix.people.all(in: $0, limit: $1)
    },
    NumberEntry("Migrator.migrate(_:upTo:atomically:progress:)") {
      try MisuseMatrix.migrator.migrate($0, upTo: $1)
    },
    NumberEntry("Migrator.revert(_:to:)") { try MisuseMatrix.migrator.revert($0, to: $1) },
    NumberEntry("Migrator.dryRun(on:upTo:)") { try MisuseMatrix.migrator.dryRun(on: $0, upTo: $1) },
    NumberEntry("Migration.init(_:_:foreignKeys:inTransaction:sql:revert:)", refusal: misuse) {
      _, number in
      try Migrator([Migration(number, sql: "SELECT 1")])
    },
    NumberEntry(
      "Migration.init(_:_:foreignKeys:inTransaction:fingerprint:run:revert:)", refusal: misuse
    ) { _, number in
      try Migrator([Migration(number) { _ in }])
    },
    NumberEntry("Connection.setUserVersion(_:)", refusal: none) {
      try $0.setUserVersion(Int32(truncatingIfNeeded: $1))
    },
    NumberEntry("Connection.setApplicationID(_:)", refusal: none) {
      try $0.setApplicationID(Int32(truncatingIfNeeded: $1))
    },
    NumberEntry("Connection.onProgress(every:_:)", refusal: lessThanOne) {
      try $0.onProgress(every: $1) {}
    },
    NumberEntry("Connection.setWALAutocheckpoint(_:)", refusal: none) {
      try $0.setWALAutocheckpoint($1)
    },
    NumberEntry("TraceEvents.init(rawValue:)", refusal: none) {
      try $0.trace(TraceEvents(rawValue: Int32(truncatingIfNeeded: $1))) { _ in }
      try $0.execute(sql: "SELECT 1")
    },
    NumberEntry("Connection.setLimit(_:to:)", refusal: butA128) {
      try $0.setLimit(.triggerDepth, to: $1)
    },
    NumberEntry("Connection.setLastInsertRowid(_:)", refusal: none) {
      try $0.setLastInsertRowid(Int64($1))
    },
    NumberEntry("Connection.uriInteger(_:default:database:)", refusal: none) {
      try $0.uriInteger("a", default: Int64($1))
    },
    NumberEntry("Connection.vacuum(database:pageSize:autoVacuum:)") { try $0.vacuum(pageSize: $1) },
    NumberEntry("Connection.incrementalVacuum(pages:database:)", refusal: count) {
      try $0.incrementalVacuum(pages: $1)
    },
    NumberEntry("Connection.integrityProblems(database:isQuick:limit:)", refusal: count) {
      try $0.integrityProblems(limit: $1)
    },
    NumberEntry("SQLiteLibrary.releaseMemory(bytes:)", refusal: negative) {
      try SQLiteLibrary.releaseMemory(bytes: $1)
    },
    NumberEntry("SQLiteLibrary.isSameName(_:as:bytes:)", refusal: negative) {
      try SQLiteLibrary.isSameName("a", as: "b", bytes: $1)
    },
    NumberEntry("SQLiteLibrary.randomBytes(count:)", refusal: blob) { _, count in
      try SQLiteLibrary.randomBytes(count: count)
    },
    NumberEntry("Configuration.statementCacheSize", refusal: none) { _, size in
      var configuration = Configuration()
      configuration.statementCacheSize = size
      try Connection(configuration: configuration).execute(sql: "SELECT 1")
    },
    NumberEntry("Configuration.liveStatementCacheSize", refusal: none) { _, size in
      var configuration = Configuration()
      configuration.liveStatementCacheSize = size
      let queue = try ConnectionQueue(configuration: configuration)
      let values = queue.observe(.column(.int), sql: "SELECT 1")
      let live = values.sink { _ in
      } receiveValue: { _ in
      }
      try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
      live.cancel()
    },
    NumberEntry("RowValues.value(at:)") {
      try $0.first(.values, sql: "SELECT 1")?.value(at: $1)
    },
    NumberEntry("RowValues.get(_:at:)") {
      try $0.first(.values, sql: "SELECT 1")?.get(.int, at: $1)
    },
  ]

  static let statement: [NumberEntry<Statement>] = [
    NumberEntry("Statement.bind(_:toParameter:)") { try $0.bind(1, toParameter: $1) },
    NumberEntry("Statement.declaredType(at:)") { try $0.declaredType(at: $1) },
    NumberEntry("RowConverter.column(_:at:)") { try $0.first(.column(.value, at: $1)) },
  ]

  static let row: [NumberEntry<Row>] = [
    NumberEntry("Row.storageClass(at:)") { try $0.storageClass(at: $1) },
    NumberEntry("Row.isNull(at:)") { try $0.isNull(at: $1) },
    NumberEntry("Row.value(at:)") { try $0.value(at: $1) },
    NumberEntry("Row.get(_:at:)") { try $0.get(.int, at: $1) },
    NumberEntry("Row.optional(_:at:)") { try $0.optional(.int, at: $1) },
    NumberEntry("Row.subscript(_:)") { try $0[$1] as Int },
    NumberEntry("Row.integer(at:)") { try $0.integer(at: $1) },
    NumberEntry("Row.real(at:)") { try $0.real(at: $1) },
    NumberEntry("Row.text(at:)") { try $0.text(at: $1) },
    NumberEntry("Row.blob(at:)") { try $0.blob(at: $1) },
    NumberEntry("Row.withUTF8(at:_:)") { try $0.withUTF8(at: $1) { $0.count } },
    NumberEntry("Row.withBytes(at:_:)") { try $0.withBytes(at: $1) { $0.count } },
    NumberEntry("Row.mismatch(at:_:)", refusal: none) { $0.mismatch(at: $1, "is odd") },
  ]

  static let arguments: [NumberEntry<SQLFunctionArguments>] = [
    NumberEntry("SQLFunctionArguments.subscript(_:)") { try $0[$1] },
    NumberEntry("SQLFunctionArguments.get(_:at:)") { try $0.get(Int.self, at: $1) },
    NumberEntry("SQLFunctionArguments.get(_:at:)") { try $0.get(.int, at: $1) },
    NumberEntry("SQLValue.init(argument:of:)") { try Int(argument: $1, of: $0) },
    NumberEntry("SQLValue.init(argument:of:)") { try Double(argument: $1, of: $0) },
    NumberEntry("SQLValue.init(argument:of:)") { try String(argument: $1, of: $0) },
    NumberEntry("SQLValue.init(argument:of:)") { try [UInt8](argument: $1, of: $0) },
    NumberEntry("Optional.init(argument:of:)") { try Int?(argument: $1, of: $0) },
    NumberEntry("SQLFunctionArgument.with(argument:of:_:)") { try with(Int.self, $1, $0) },
    NumberEntry("SQLValue.with(argument:of:_:)") { try Int.with(argument: $1, of: $0) { $0 } },
    NumberEntry("Span.with(argument:of:_:)") {
      try Span<UInt8>.with(argument: $1, of: $0) { $0.count }
    },
    NumberEntry("Optional.with(argument:of:_:)") {
      try Optional<Span<UInt8>>.with(argument: $1, of: $0) { $0?.count }
    },
    NumberEntry("Date.with(argument:of:_:)") { try Date.with(argument: $1, of: $0) { $0 } },
    NumberEntry("UUID.with(argument:of:_:)") { try UUID.with(argument: $1, of: $0) { $0 } },
    NumberEntry("SQLFunctionArguments.optional(_:at:)") { try $0.optional(.int, at: $1) },
    NumberEntry("SQLFunctionArguments.storageClass(at:)") { try $0.storageClass(at: $1) },
    NumberEntry("SQLFunctionArguments.integer(at:)") { try $0.integer(at: $1) },
    NumberEntry("SQLFunctionArguments.real(at:)") { try $0.real(at: $1) },
    NumberEntry("SQLFunctionArguments.text(at:)") { try $0.text(at: $1) },
    NumberEntry("SQLFunctionArguments.blob(at:)") { try $0.blob(at: $1) },
    NumberEntry("SQLFunctionArguments.withUTF8(at:_:)") { try $0.withUTF8(at: $1) { $0.count } },
    NumberEntry("SQLFunctionArguments.withBytes(at:_:)") { try $0.withBytes(at: $1) { $0.count } },
    NumberEntry("SQLFunctionArguments.subtype(at:)") { try $0.subtype(at: $1) },
    NumberEntry("SQLFunctionArguments.isBound(at:)") { try $0.isBound(at: $1) },
    NumberEntry("SQLFunctionArguments.numeric(at:)") { try $0.numeric(at: $1) },
    NumberEntry("SQLFunctionArguments.object(_:at:)") { try $0.object(Int.self, at: $1) },
    NumberEntry("SQLFunctionArguments.auxiliaryData(at:_:)") {
      try $0.auxiliaryData(at: $1) { (value: DatabaseValue) in value }
    },
    NumberEntry("SQLFunctionArguments.setResultSubtype(_:)", refusal: none) {
      try $0.setResultSubtype(UInt8(truncatingIfNeeded: $1))
    },
  ]

  /// The members without an entry, with the reason.
  static let values = [
    "CheckpointMode.init(rawValue:)": "nil for what is not the number of a mode",
    "CheckpointPolicy.apply(to:frames:at:)": "a count that is compared with another",
    "CheckpointPolicy.init(database:frames:interval:patience:onStarvation:)":
      "a count and times that are compared with others",
    "JSONLinesMonitor.init(threshold:write:traceID:)": "a time that is compared with others",
    "SlowStatementMonitor.init(threshold:reportingTo:now:)":
      "a time that is compared with others",
    "RecordedChanges.ApplyOptions.init(rawValue:)": "flags, of which the unknown are left out",
    "Session.Options.init(rawValue:)": "flags, of which the unknown are left out",
    "SQLiteLibrary.setSessionChunkSize(_:)": "has a test of its own, as it is for the process",
    "Cluster.Options.busyTimeout": "a time that is compared with others",
    "Cluster.Options.failoverTimeout": "a time that is compared with others",
    "Cluster.Options.requestTimeout": "a time that is compared with others",
    "ClusterAdministrator.add(_:at:as:deadline:)": "an id, which the leader refuses or knows",
    "ClusterAdministrator.assign(_:to:deadline:)": "an id, which the leader refuses or knows",
    "ClusterAdministrator.handOver(from:deadline:)": "an id, which the leader refuses or knows",
    "ClusterAdministrator.remove(_:deadline:)": "an id, which the leader refuses or knows",
    "ClusterAdministrator.transfer(to:deadline:)": "an id, which the leader refuses or knows",
    "Configuration.busyTimeout": "has a test of its own, with every kind of duration",
    "Configuration.pageSize": "has a test of its own, with sizes that there are not",
    "Configuration.limits": "has a test of its own: what SQLite cannot have becomes what it can",
    "FaultyFileSystem.arm(_:atCall:)": "a call that may never come",
    "FaultyMemory.arm(atAllocation:isForEver:)": "an allocation that may never come",
    "FaultyFileSystem.failEachCall(isolation:with:step:_:)":
      "is failEachCall(with:step:_:), awaited",
    "FaultyMemory.failEachAllocation(isForEver:step:_:)": "is for a process of its own",
    "FaultyMemory.failEachAllocation(isolation:isForEver:step:_:)": "is for a process of its own",
    "NodeMember.init(id:address:role:)": "any number will do",
    "NodeRole.init(rawValue:)": "nil for what is not the number of a role",
    "SeededGenerator.init(seed:)": "any number will do",
    "WatchedFileSystem.sleep(for:)": "hands on what a file system that has a test of its own gets",
    "CipherSettings.compatibility":
      "has a test of its own: opening throws for what SQLCipher does not take",
    "CipherSettings.init(compatibility:pageSize:kdfIterations:plaintextHeaderSize:salt:)":
      "has a test of its own: opening throws for what SQLCipher does not take",
    "CipherSettings.kdfIterations":
      "has a test of its own: opening throws for what SQLCipher does not take",
    "CipherSettings.pageSize":
      "has a test of its own: opening throws for what SQLCipher does not take",
    "CipherSettings.plaintextHeaderSize":
      "has a test of its own: opening throws for what SQLCipher does not take",
    "Connection.setBusyTimeout(_:)": "has a test of its own, with every kind of duration",
    "Connection.waitForUnlock(timeout:)": "has a test of its own, and the limits of a busy timeout",
    "ConnectionCounter.init(rawValue:)": "nil for what is not the number of a counter",
    "ConnectionLimit.init(rawValue:)": "nil for what is not the number of a limit",
    "ConnectionPool.init(path:create:readers:label:qos:configuration:upkeep:)":
      "has a test of its own: less than one reader throws",
    "ConnectionPool.init(uri:create:readers:label:qos:configuration:upkeep:)":
      "has a test of its own: less than one reader throws",
    "ConnectionPool.init(url:create:readers:label:qos:configuration:upkeep:)":
      "has a test of its own: less than one reader throws",
    "PoolUpkeep.checkpointFrames": "has a test of its own, with every kind of number",
    "PoolUpkeep.checkpointInterval": "has a test of its own, with every kind of duration",
    "PoolUpkeep.idleReaderTimeout": "has a test of its own, with every kind of duration",
    "PoolUpkeep.optimizeInterval": "has a test of its own, with every kind of duration",
    "PoolUpkeep.readerPatience": "has a test of its own, with every kind of duration",
    "ConnectionPool.snapshot(readers:)": "has a test of its own: less than one reader throws",
    "ConnectionPool.syncSnapshot(readers:)": "has a test of its own: less than one reader throws",
    "ConnectionQueue.snapshot(readers:)": "has a test of its own: less than one reader throws",
    "ConnectionQueue.syncSnapshot(readers:)": "has a test of its own: less than one reader throws",
    "ConnectionOption.init(rawValue:)": "nil for what is not the number of an option",
    "DatabaseReader.backup(to:overwriting:pagesPerStep:progress:)":
      "calls the method of a connection, which has its entry",
    "DatabaseReader.backup(to:pagesPerStep:progress:)":
      "calls the method of a connection, which has its entry",
    "DatabaseReader.rowChanges(in:schema:limit:)":
      "has a test of its own: less than one row throws",
    "DatabaseReader.syncBackup(to:overwriting:pagesPerStep:progress:)":
      "calls the method of a connection, which has its entry",
    "DatabaseReader.syncBackup(to:pagesPerStep:progress:)":
      "calls the method of a connection, which has its entry",
    "DatabaseValue.init(floatLiteral:)": "a value",
    "DatabaseValue.init(integerLiteral:)": "a value",
    "DatabaseWriter.asyncTransaction(_:retries:group:qos:_:completion:)":
      "a count that is compared with another",
    "DatabaseWriter.asyncWrite(retries:group:qos:_:completion:)":
      "a count that is compared with another",
    "DatabaseWriter.syncTransaction(_:retries:deadline:_:)":
      "a count that is compared with another",
    "DatabaseWriter.syncWrite(retries:deadline:_:)": "a count that is compared with another",
    "DatabaseWriter.transaction(_:retries:deadline:_:)": "a count that is compared with another",
    "DatabaseWriter.write(retries:deadline:_:)": "a count that is compared with another",
    "Migrator.syncMigrate(_:upTo:atomically:progress:)": "calls migrate, which has its entry",
    "Migrator.syncRevert(_:to:)": "calls revert, which has its entry",
    "FTS5Context.columns(ofPhrase:)": "has a test of its own, in a query",
    "FTS5Context.forEachRow(ofPhrase:_:)": "has a test of its own, in a query",
    "FTS5Context.instances(ofPhrase:)": "has a test of its own, in a query",
    "FTS5Context.text(ofColumn:)": "has a test of its own, in a query",
    "FTS5Context.tokenCount(ofColumn:)": "has a test of its own, in a query",
    "FTS5Context.tokenCount(ofPhrase:)": "has a test of its own, in a query",
    "FTS5Context.totalTokenCount(ofColumn:)": "has a test of its own, in a query",
    "FTS5Context.withUTF8(ofColumn:_:)": "has a test of its own, in a query",
    "FTS5Pattern.near(_:distance:)": "has a test of its own",
    "JSONPath.Step.init(integerLiteral:)": "has a test of its own",
    "FTS5Table.bm25(weights:)": "weights are any numbers",
    "FTS5Table.merge(pages:)": "has a test of its own",
    "FTS5Table.snippet(_:from:to:ellipsis:tokens:)": "has a test of its own",
    "FTS5Table.suggestions(for:limit:)": "has a test of its own",
    "FunctionOptions.init(rawValue:)": "flags, of which the unknown are left out",
    "RTreeMatch.scored(_:)": "a value",
    "RTreeNode.lower(_:)": "has a test of its own, as there may be no R*Trees",
    "RTreeNode.upper(_:)": "has a test of its own, as there may be no R*Trees",
    "PendingRowChange.new(at:)": "has a test of its own, in a hook",
    "PendingRowChange.old(at:)": "is like the new value",
    "ResultCode.init(rawValue:)": "any number",
    "RowValues.subscript(_:)": "an index of a collection of Swift, which value(at:) checks",
    "SQL.StringInterpolation.init(literalCapacity:interpolationCount:)": "called by the compiler",
    "SQLBindable.double(_:)": "a value",
    "SQLBindable.float(_:)": "a value",
    "SQLParameter.init(floatLiteral:)": "a value",
    "SQLParameter.init(integerLiteral:)": "a value",
    "SQLBindable.int(_:)": "a value",
    "SQLBindable.int16(_:)": "a value",
    "SQLBindable.int32(_:)": "a value",
    "SQLBindable.int64(_:)": "a value",
    "SQLBindable.int8(_:)": "a value",
    "SQLBindable.uint(_:)": "a value",
    "SQLBindable.uint16(_:)": "a value",
    "SQLBindable.uint32(_:)": "a value",
    "SQLBindable.uint64(_:)": "a value",
    "SQLBindable.uint64(bitPattern:)": "a value",
    "SQLBindable.uint8(_:)": "a value",
    "SQLiteDefect.affects(version:)": "a number to compare with",
    "SQLiteLibrary.setHardHeapLimit(_:)": "has a test of its own, in a process of its own",
    "SQLiteLibrary.setSoftHeapLimit(_:)": "has a test of its own, in a process of its own",
    "SQLiteLibrary.Counter.init(rawValue:)": "nil for what is not the number of a counter",
    "SQLiteError.init(_:_:sql:offset:)": "a copy of what was given",
    "VirtualFile.read(into:at:)": "called by SQLite",
    "VirtualFile.truncate(to:)": "called by SQLite",
    "VirtualFile.write(_:at:)": "called by SQLite",
    "VirtualFileAccess.init(rawValue:)": "nil for what is not the number of a question",
    "VirtualFileLock.init(rawValue:)": "nil for what is not the number of a lock",
    "VirtualFileRequest.uriInteger(_:default:)": "a value",
    "VirtualFileShim.read(into:at:)": "passed on; NativeFileTests tell",
    "VirtualFileShim.truncate(to:)": "passed on; NativeFileTests tell",
    "VirtualFileShim.write(_:at:)": "passed on; NativeFileTests tell",
    "VirtualFileSync.init(rawValue:)": "flags, of which the unknown are left out",
    "VirtualFileSystem.sleep(for:)": "called by SQLite",
    "VirtualFileSystemShim.sleep(for:)": "passed on; NativeFileTests tell",
    "VirtualFileTraits.init(rawValue:)": "flags, which SQLite looks at",
    "VirtualTable.function(_:arity:)": "called by SQLite",
    "VirtualTableCursor.column(_:)": "called by SQLite",
    "VirtualTableOptions.init(rawValue:)": "flags, of which the unknown are left out",
    "WritableVirtualTable.release(_:)": "called by SQLite",
    "WritableVirtualTable.rollback(to:)": "called by SQLite",
    "WritableVirtualTable.savepoint(_:)": "called by SQLite",
  ]

  static var symbols: [String] {
    (connection + tables + copies + files + above + cluster).map(\.symbol) + statement.map(\.symbol)
      + row.map(\.symbol) + arguments.map(\.symbol) + values.keys
  }

  static let none: @Sendable (Int) -> ResultCode? = { _ in nil }
  static let lessThanOne: @Sendable (Int) -> ResultCode? = { $0 < 1 ? .range : nil }
  static let negative: @Sendable (Int) -> ResultCode? = { $0 < 0 ? .range : nil }
  private static let butA128: @Sendable (Int) -> ResultCode? = { $0 == 128 ? nil : .range }
  static let arity: @Sendable (Int) -> ResultCode? = {
    $0 == 128 && SQLiteVersion.mostArguments >= 128 ? nil : .range
  }
  private static let misuse: @Sendable (Int) -> ResultCode? = { _ in .misuse }

  /// The code expected for a count that must be at least 1 and fit into 32 bits.
  private static let count: @Sendable (Int) -> ResultCode? = { number in
    (1...Int(Int32.max)).contains(number) ? nil : .range
  }

  /// The code expected for the size of a blob, for which some of the numbers are valid.
  private static let blob: @Sendable (Int) -> ResultCode? = { count in
    count < 0 ? .range : count > 1_000_000_000 ? .tooBig : nil
  }

  private final class Sum: SQLAggregateFunction {
    func step(_ values: borrowing SQLFunctionArguments) {}
    func final() -> DatabaseValue { 0 }
  }

  private final class WindowSum: SQLAggregateWindowFunction {
    func step(_ values: borrowing SQLFunctionArguments) {}
    func inverse(_ values: borrowing SQLFunctionArguments) {}
    func value() -> DatabaseValue { 0 }
    func final() -> DatabaseValue { 0 }
  }
}

/// Calls the method that `SQLFunctionArgument` requires.
private func with<A: SQLFunctionArgument>(
  _ type: A.Type, _ index: Int, _ values: borrowing SQLFunctionArguments
) throws {
  try A.with(argument: index, of: values) { _ in }
}
