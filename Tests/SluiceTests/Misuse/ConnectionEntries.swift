import CSluice
import Foundation
import Sluice
import SluiceExtras
import TestSupport

extension MisuseMatrix {
  static let connection: [Entry<Connection>] = [
    Entry("Connection.isOpen", .never) { $0.isOpen },
    Entry("Connection.configuration", .never) { $0.configuration },
    Entry("Connection.isInAutocommit", .never) { $0.isInAutocommit },
    Entry("Connection.isInCallback", .never) { $0.isInCallback },
    Entry("Connection.userVersion", .works) { try $0.userVersion },
    Entry("Connection.setUserVersion(_:)", .works) { try $0.setUserVersion(1) },
    Entry("Connection.applicationID", .works) { try $0.applicationID },
    Entry("Connection.setApplicationID(_:)", .works) { try $0.setApplicationID(1) },
    Entry("Connection.lastInsertRowid", .never) { $0.lastInsertRowid },
    Entry("Connection.changes", .never) { $0.changes },
    Entry("Connection.totalChanges", .never) { $0.totalChanges },
    Entry("Connection.statementCacheStatistics", .never) { $0.statementCacheStatistics },
    Entry("Connection.clearStatementCache()", .never) { $0.clearStatementCache() },
    Entry("Connection.warmUp(_:)", .works) { try $0.warmUp(["SELECT 1"]) },
    Entry("Connection.interrupt()", .never) { $0.interrupt() },
    Entry("Connection.isInterrupted", .asks.needing(.interruptState)) { try $0.isInterrupted },
    Entry("Connection.transactionState(schema:)", .asks) {
      try $0.transactionState(schema: "main")
    },
    Entry("Connection.close()", .moves.but(.closed, nil).but(.kept, .misuse)) { try $0.close() },

    Entry("Connection.option(_:)", .asks) { try $0.option(.foreignKeys) },
    Entry("Connection.withUnsafeHandle(_:)", .works) {
      try unsafe $0.withUnsafeHandle { unsafe sqlite3_get_autocommit($0) }
    },
    Entry("Connection.setOption(_:_:)", .works) { try $0.setOption(.foreignKeys, false) },
    Entry("Connection.attach(path:as:readOnly:create:encryptionKey:)", .works) {
      try $0.attach(path: ":memory:", as: "b")
    },
    Entry("Connection.attach(uri:as:encryptionKey:)", .works) {
      try $0.attach(uri: "file::memory:", as: "b")
    },
    Entry("Connection.attach(url:as:encryptionKey:)", .works) {
      let folder = try TestFolder()
      try $0.attach(url: folder.url.appending(path: "b.db"), as: "b")
    },
    Entry("Connection.detach(_:)", .works) {
      try $0.attach(path: ":memory:", as: "b")
      try $0.detach("b")
    },
    Entry("Connection.databases()", .works) { try $0.databases() },
    Entry("Connection.database(named:)", .asks) { try $0.database(named: "main") },
    Entry("Connection.changeEncryptionKey(to:)", noKey.needing(.encryption)) {
      try $0.changeEncryptionKey(to: EncryptionKey(passphrase: "new"))
    },

    Entry("Connection.prepare(sql:)", .works) { try $0.prepare(sql: "SELECT 1") },
    Entry("Connection.forEachStatement(of:_:)", .works) {
      try $0.forEachStatement(of: "SELECT 1; SELECT 2") { try $0.execute() }
    },
    Entry("Connection.prepare(_:)", .works) { try $0.prepare("SELECT \(1)") },
    Entry("Connection.execute(sql:parameters:_:_:_:_:_:_:row:)", .works) {
      try $0.execute(sql: insert)
    },
    Entry("Connection.execute(sql:parameters:row:)", .works) {
      try $0.execute(sql: "SELECT ?", parameters: [1]) { _ in }
    },
    Entry("Connection.execute(_:row:)", .works) { try $0.execute("SELECT \(1)") { _ in } },
    Entry("Connection.query(_:sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.query(.values, sql: "SELECT ?", parameters: 1)
    },
    Entry("Connection.query(_:sql:parameters:)", .works) {
      try $0.query(.values, sql: "SELECT :a", parameters: ["a": 1])
    },
    Entry("Connection.query(_:_:)", .works) { try $0.query(.values, "SELECT \(1)") },
    Entry("Connection.first(_:sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.first(.values, sql: "SELECT ?", parameters: 1)
    },
    Entry("Connection.first(_:sql:parameters:)", .works) {
      try $0.first(.values, sql: "SELECT :a", parameters: ["a": 1])
    },
    Entry("Connection.first(_:_:)", .works) { try $0.first(.values, "SELECT \(1)") },
    Entry("Connection.queryPlan(sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.queryPlan(sql: "SELECT ?", parameters: 1)
    },
    Entry("Connection.queryPlan(sql:parameters:)", .works) {
      try $0.queryPlan(sql: "SELECT :a", parameters: ["a": 1])
    },
    Entry("Connection.queryPlan(_:)", .works) { try $0.queryPlan("SELECT \(1)") },

    Entry("TableMapper.all(in:where:orderBy:limit:)", .works) {
      try people.all(in: $0, where: "id > \(1)", orderBy: "id", limit: 2)
    },
    Entry("TableMapper.all(in:where:orderBy:limit:)", .works) {
      try people.all(in: $0, where: ["id": 1])
    },
    Entry("TableMapper.first(in:where:orderBy:)", .works) { try people.first(in: $0) },
    Entry("TableMapper.first(in:where:orderBy:)", .works) {
      try people.first(in: $0, where: ["id": 1])
    },
    Entry("TableMapper.count(in:where:)", .works) { try people.count(in: $0) },
    Entry("TableMapper.count(in:where:)", .works) { try people.count(in: $0, where: ["id": 1]) },

    Entry("Migrator.applied(on:)", .works) { try migrator.applied(on: $0) },
    Entry("Migrator.pending(on:)", .works) { try migrator.pending(on: $0) },
    Entry("Migrator.version(on:)", .works) { try migrator.version(on: $0) },
    Entry("Migrator.shouldMigrate(_:)", .works) { try migrator.shouldMigrate($0) },
    // SQLite cannot drop a table while a statement reads.
    Entry(
      "Migrator.revert(_:to:)",
      .works.but(.inFunction, .misuse).but(.atRow, .locked).but(.whileLent, .locked)
    ) {
      try migrator.migrate($0)
      try migrator.revert($0, to: 0)
    },
    Entry("Migrator.revert(_:to:)", .works.but(.inFunction, .misuse)) {
      try migrator.migrate($0)
      try migrator.revert($0, to: "make")
    },
    Entry("Migrator.migrate(_:upTo:atomically:progress:)", .works.but(.inFunction, .misuse)) {
      try migrator.migrate($0)
    },
    Entry("Migrator.migrate(_:upTo:atomically:progress:)", .works.but(.inFunction, .misuse)) {
      try migrator.migrate($0, upTo: "make")
    },
    Entry("Migrator.drift(on:)", .works.but(.inFunction, .misuse)) { try migrator.drift(on: $0) },
    Entry("Migrator.dryRun(on:upTo:)", .works.but(.inFunction, .misuse)) {
      try migrator.dryRun(on: $0)
    },
    Entry("Migrator.dryRun(on:upTo:)", .works.but(.inFunction, .misuse)) {
      try migrator.dryRun(on: $0, upTo: "make")
    },

    Entry("Connection.begin(_:)", .works) { try $0.begin() },
    Entry("Connection.commit()", .works) {
      try $0.begin()
      try $0.commit()
    },
    Entry("Connection.rollback()", .works) {
      try $0.begin()
      try $0.rollback()
    },
    Entry("Connection.transaction(_:_:)", .works) {
      try $0.transaction { connection, _ in try connection.execute(sql: insert) }
    },
    Entry("Connection.transaction(_:_:)", .works) {
      try $0.transaction { connection in try connection.execute(sql: insert) }
    },
    Entry("Connection.savepoint(_:_:)", .works) {
      try $0.savepoint { connection in try connection.execute(sql: insert) }
    },
    Entry("Connection.savepoint(_:_:)", .works) {
      try $0.savepoint { connection, _ in try connection.execute(sql: insert) }
    },
    Entry("Connection.beginReadTransaction()", .works) { try $0.beginReadTransaction() },
    Entry("Connection.updateReadTransaction()", .works) {
      try $0.beginReadTransaction()
      try $0.updateReadTransaction()
    },
    Entry("Connection.endReadTransaction()", .works) {
      try $0.beginReadTransaction()
      try $0.endReadTransaction()
    },

    Entry("Connection.addFunction(_:arity:options:_:)", .works) {
      try $0.addFunction("new", arity: 0) { _ in 1 }
    },
    Entry("Connection.addFunction(_:options:_:)", .works) {
      try $0.addFunction("new") { 1 }
    },
    Entry("Connection.addFunction(_:options:_:)", .works) {
      try $0.addFunction("new") { (a: Span<UInt8>) in a.count }
    },
    Entry("Connection.addFunction(_:options:_:)", .works) {
      try $0.addFunction("new") { (a: Span<UInt8>, b: Int) in a.count + b }
    },
    Entry("Connection.addFunction(_:options:_:)", .works) {
      try $0.addFunction("new") { (a: Span<UInt8>, b: Int, c: Int) in a.count + b + c }
    },
    Entry("Connection.addAggregateFunction(_:arity:options:_:)", .works) {
      try $0.addAggregateFunction("new", arity: 1) { Count() }
    },
    Entry("Connection.addAggregateFunction(_:arity:options:_:)", .works) {
      try $0.addAggregateFunction("new", arity: 1) { WindowCount() }
    },
    Entry("Connection.addUnicodeCaseFunctions()", whileIdle) { try $0.addUnicodeCaseFunctions() },
    Entry("Connection.addUUIDFunctions()", .works) { try $0.addUUIDFunctions() },
    Entry("Connection.addSHA3Functions()", .works) { try $0.addSHA3Functions() },
    Entry("Connection.addDecimalFunctions()", .works) { try $0.addDecimalFunctions() },
    Entry("Connection.addIEEE754Functions()", .works) { try $0.addIEEE754Functions() },
    Entry("Connection.removeFunction(_:arity:)", whileIdle) {
      try $0.removeFunction("spare", arity: 0)
    },
    Entry("Connection.addCollation(_:_:)", .works) {
      try $0.addCollation("new") { (a: String, b: String) in SQLOrder(a, b) }
    },
    Entry("Connection.addCollation(_:_:)", .works) {
      try $0.addCollation("new") { $0.localizedCompare($1) }
    },
    Entry("Connection.addCollation(_:comparingUTF8:)", .works) {
      try $0.addCollation("new", comparingUTF8: { SQLOrder($0.count, $1.count) })
    },
    Entry("Connection.removeCollation(_:)", whileIdle) { try $0.removeCollation("spare") },
    Entry("Connection.onCollationNeeded(_:)", .works) { try $0.onCollationNeeded(nil) },
  ]

  /// The connection has no key to change.
  private static let noKey = Situation.allCases.reduce(Refusals.never) { $0.but($1, .misuse) }

  /// The member removes something that a running statement may use.
  private static let whileIdle = Refusals.works.but(.atRow, .busy).but(.whileLent, .busy)
    .but(.inFunction, .busy)

  /// Members that open a connection or need none, so that the state of another connection is irrelevant.
  static let withoutConnection: [Entry<Connection>] = [
    Entry("Connection.init(configuration:)", .never) { _ in try Connection() },
    Entry("Connection.init(path:readOnly:create:configuration:)", .never) { _ in
      try Connection(path: ":memory:")
    },
    Entry("Connection.init(uri:readOnly:create:configuration:)", .never) { _ in
      try Connection(uri: "file::memory:")
    },
    Entry("Connection.init(url:readOnly:create:configuration:)", .never) { _ in
      let folder = try TestFolder()
      return try Connection(url: folder.url.appending(path: "a.db"))
    },
    Entry("Connection.temporary(configuration:)", .never) { _ in try Connection.temporary() },
    Entry("Connection.init(adopting:)", .never) { _ in
      // The existing connection has already initialized SQLite, which C code must not do concurrently.
      var handle: OpaquePointer?
      guard unsafe sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle = unsafe handle else {
        throw SQLiteError(.cantOpen, "SQLite has no memory")
      }
      return unsafe Connection(adopting: handle)
    },
    Entry("Migrator.init(_:adopting:userVersion:recordTable:preparing:)", .never) { _ in
      try Migrator([Migration(1, sql: "SELECT 1")])
    },
    Entry("Migrator.init(folder:adopting:userVersion:recordTable:preparing:)", .never) { _ in
      let folder = try TestFolder()
      return try Migrator(folder: folder.url)
    },
    Entry("Migrator.migrations", .never) { _ in try Migrator([]).migrations },
    Entry("Migrator.steps", .never) { _ in try Migrator([]).steps },
    Entry("Migrator.adopting", .never) { _ in try Migrator([]).adopting },
    Entry("Migrator.userVersion", .never) { _ in try Migrator([]).userVersion },
    Entry("Migrator.erasesOnSchemaChange", .never) { _ in
      try Migrator([]).erasesOnSchemaChange
    },
    Entry("Migrator.recordTable", .never) { _ in try Migrator([]).recordTable },
    Entry("TableMapper.init(_:schema:_:)", .never) { _ in
      TableMapper("t", schema: "main", .values)
    },
    Entry("ConnectionQueue.init(label:qos:target:configuration:)", .never) { _ in
      try ConnectionQueue()
    },
    Entry("ConnectionQueue.init(path:create:label:qos:target:configuration:)", .never) { _ in
      try ConnectionQueue(path: ":memory:")
    },
    Entry("ConnectionQueue.init(uri:create:label:qos:target:configuration:)", .never) { _ in
      try ConnectionQueue(uri: "file::memory:")
    },
    Entry("ConnectionQueue.init(url:create:label:qos:target:configuration:)", .never) { _ in
      let folder = try TestFolder()
      return try ConnectionQueue(url: folder.url.appending(path: "a.db"))
    },
    Entry("ConnectionQueue.init(label:qos:target:opening:)", .never) { _ in
      try ConnectionQueue(opening: { try Connection() })
    },
    Entry("ConnectionReadQueue.init(path:label:qos:target:configuration:)", .never) { _ in
      try ConnectionReadQueue(path: ":memory:")
    },
    Entry("ConnectionReadQueue.init(uri:label:qos:target:configuration:)", .never) { _ in
      try ConnectionReadQueue(uri: "file::memory:")
    },
    Entry("ConnectionReadQueue.init(url:label:qos:target:configuration:)", .never) { _ in
      let folder = try TestFolder()
      let file = folder.url.appending(path: "a.db")
      try Connection(url: file).execute(sql: "CREATE TABLE t(a)")
      return try ConnectionReadQueue(url: file)
    },
    Entry("ConnectionReadQueue.init(writeQueue:label:qos:target:)", .never) { _ in
      let folder = try TestFolder()
      let queue = try ConnectionQueue(url: folder.url.appending(path: "a.db"))
      return try ConnectionReadQueue(writeQueue: queue)
    },
    Entry("ConnectionPool.init(label:qos:configuration:)", .never) { _ in
      try ConnectionPool()
    },
    Entry("ConnectionPool.init(path:create:readers:label:qos:configuration:upkeep:)", .never) { _ in
      try ConnectionPool(path: ":memory:")
    },
    Entry("ConnectionPool.init(uri:create:readers:label:qos:configuration:upkeep:)", .never) { _ in
      try ConnectionPool(uri: "file::memory:")
    },
    Entry("ConnectionPool.init(url:create:readers:label:qos:configuration:upkeep:)", .never) { _ in
      let folder = try TestFolder()
      return try ConnectionPool(url: folder.url.appending(path: "a.db"))
    },
  ]

  /// A migrator whose record table does not exist in the fixture.
  static var migrator: Migrator {
    get throws {
      try Migrator([
        Migration(1, "make", sql: "CREATE TABLE migrated(a)", revert: "DROP TABLE migrated")
      ])
    }
  }

  static let people = TableMapper("t", .values)
  static let insert = "INSERT INTO u VALUES (1)"
  static let select = "SELECT * FROM t"

  private final class Count: SQLAggregateFunction {
    func step(_ values: borrowing SQLFunctionArguments) {}
    func final() -> DatabaseValue { 0 }
  }

  private final class WindowCount: SQLAggregateWindowFunction {
    func step(_ values: borrowing SQLFunctionArguments) {}
    func inverse(_ values: borrowing SQLFunctionArguments) {}
    func value() -> DatabaseValue { 0 }
    func final() -> DatabaseValue { 0 }
  }
}
