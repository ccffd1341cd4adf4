import Foundation
import Sluice
import TestSupport

extension MisuseMatrix {
  /// Members of a connection that copy or move databases, or read and write their parts.
  static let copies: [Entry<Connection>] = [
    Entry("Connection.backup(to:database:as:pagesPerStep:busyLimit:progress:)", .works) {
      try $0.backup(to: Connection())
    },
    Entry("Connection.backup(to:database:overwriting:pagesPerStep:busyLimit:progress:)", .works) {
      let folder = try TestFolder()
      try $0.backup(to: folder.url.appending(path: "b.db").path)
    },
    Entry("Connection.backup(to:database:overwriting:pagesPerStep:busyLimit:progress:)", .works) {
      let folder = try TestFolder()
      try $0.backup(to: folder.url.appending(path: "b.db"))
    },
    Entry("Connection.restore(from:database:pagesPerStep:busyLimit:progress:)", replaces) {
      let folder = try TestFolder()
      try $0.backup(to: folder.url.appending(path: "b.db"))
      try $0.restore(from: folder.url.appending(path: "b.db").path)
    },
    Entry("Connection.restore(from:database:pagesPerStep:busyLimit:progress:)", replaces) {
      let folder = try TestFolder()
      try $0.backup(to: folder.url.appending(path: "b.db"))
      try $0.restore(from: folder.url.appending(path: "b.db"))
    },
    Entry("Connection.erase(database:)", replaces) {
      let copy = try Connection()
      try $0.backup(to: copy)
      try $0.erase()
      try copy.backup(to: $0)
    },
    Entry("Connection.vacuum(into:database:)", whileNothingRuns) {
      let folder = try TestFolder()
      try $0.vacuum(into: folder.url.appending(path: "b.db").path)
    },
    Entry("Connection.vacuum(into:database:)", whileNothingRuns) {
      let folder = try TestFolder()
      try $0.vacuum(into: folder.url.appending(path: "b.db"))
    },
    Entry("Connection.export(to:encryptionKey:database:)", whileIdle) {
      let folder = try TestFolder()
      try $0.export(
        to: folder.url.appending(path: "b.db").path, encryptionKey: EncryptionKey(passphrase: "b"))
    },
    Entry("Connection.export(to:encryptionKey:database:)", whileIdle) {
      let folder = try TestFolder()
      try $0.export(to: folder.url.appending(path: "b.db"), encryptionKey: nil)
    },
    Entry("Backup.init(of:database:to:as:)", .works) { try Backup(of: $0, to: Connection()) },
    Entry("Backup.source", .works) { try Backup(of: $0, to: Connection()).source },
    Entry("Backup.target", .works) { try Backup(of: $0, to: Connection()).target },
    Entry("Backup.isDone", .works) { try Backup(of: $0, to: Connection()).isDone },
    Entry("Backup.remainingPages", .works) { try Backup(of: $0, to: Connection()).remainingPages },
    Entry("Backup.pageCount", .works) { try Backup(of: $0, to: Connection()).pageCount },
    Entry("Backup.step(pages:)", .works) { try Backup(of: $0, to: Connection()).step() },
    Entry("Backup.cancel()", .works) { try Backup(of: $0, to: Connection()).cancel() },

    Entry("Connection.serialize(database:)", .works.needing(.serialization)) { try $0.serialize() },
    Entry("Connection.withSerialized(database:_:)", .works.needing(.serialization)) {
      try $0.withSerialized { $0.count }
    },
    Entry(
      "Connection.deserialize(_:database:readOnly:isResizable:sizeLimit:)",
      replaces.but(.atRow, .busy).but(.whileLent, .busy).needing(.serialization)
    ) { try $0.deserialize($0.serialize()) },

    Entry("Connection.loadExtension(path:entryPoint:)", .works.needing(.loadableExtensions)) {
      do { try $0.loadExtension(path: "/no such file") } catch SQLiteError.error {}
    },
    Entry("Connection.flushCache()", .works) { try $0.flushCache() },
    Entry("Connection.releaseMemory()", .works) { try $0.releaseMemory() },
  ]

  /// Members of blobs.
  static let blobs: [Entry<Connection>] = [
    Entry("Connection.openBlob(table:column:rowid:database:readOnly:)", .works) { try blob($0) },
    Entry("Blob.connection", .works) { try blob($0).connection },
    Entry("Blob.isReadOnly", .works) { try blob($0).isReadOnly },
    Entry("Blob.rowid", .works) { try blob($0).rowid },
    Entry("Blob.count", .works) { try blob($0).count },
    Entry("Blob.read(at:count:)", .works) { try blob($0).read() },
    Entry("Blob.read(into:at:)", .works) {
      var bytes: ContiguousArray<UInt8> = [0]
      var span = bytes.mutableSpan
      try blob($0).read(into: &span)
    },
    Entry("Blob.forEachChunk(of:_:)", .works) { try blob($0).forEachChunk { _ in } },
    Entry("Blob.write(_:at:)", .works) { try blob($0).write([1]) },
    Entry("Blob.write(_:at:)", .works) { try blob($0).write(ContiguousArray([1]).span) },
    Entry("Blob.write(chunks:at:)", .works) { try blob($0).write(chunks: [[1]]) },
    Entry("Blob.reopen(at:)", .works) { try blob($0).reopen(at: 2) },
    Entry("Blob.close()", .works) { try blob($0).close() },
  ]

  /// Members of a connection for a database that has a WAL, or should have one.
  static let wal: [Entry<Connection>] = [
    Entry("Connection.checkpoint(_:database:)", whileNothingReads) { try $0.checkpoint() },
    Entry("CheckpointPolicy.apply(to:frames:at:)", whileNothingReads) {
      try CheckpointPolicy().apply(to: $0)
    },
    Entry("CheckpointPolicy.init(database:frames:interval:patience:onStarvation:)", .never) { _ in
      CheckpointPolicy()
    },
    Entry("CheckpointPolicy.database", .never) { _ in CheckpointPolicy().database },
    Entry("CheckpointPolicy.frames", .never) { _ in CheckpointPolicy().frames },
    Entry("CheckpointPolicy.interval", .never) { _ in CheckpointPolicy().interval },
    Entry("CheckpointPolicy.patience", .never) { _ in CheckpointPolicy().patience },
    Entry("Connection.snapshot(database:)", hasNoWAL) { try $0.snapshot() },
    Entry("Connection.beginReadTransaction(at:database:)", hasNoWAL) {
      try $0.beginReadTransaction(at: $0.snapshot())
    },
    Entry("Connection.recoverSnapshots(database:)", hasNoWAL) { try $0.recoverSnapshots() },
    Entry("Snapshot.isOlder(than:)", hasNoWAL) {
      let snapshot = try $0.snapshot()
      return try snapshot.isOlder(than: snapshot)
    },
  ]

  private static func blob(_ connection: Connection) throws -> Blob {
    try connection.openBlob(table: "t", column: "bytes", rowid: 1, readOnly: false)
  }

  /// The member replaces a database, which no statement may be using.
  private static let replaces = Refusals.works.but(.inFunction, .misuse).but(.atRow, .error)
    .but(.whileLent, .error)

  /// The member ends with a `DETACH`, which requires that no statement is open.
  private static let whileIdle = Refusals.works.but(.atRow, .misuse).but(.whileLent, .misuse)
    .but(.inFunction, .misuse).but(.inAggregate, .misuse).needing(.encryption)

  /// SQLite allows the call only while no statement has begun.
  private static let whileNothingRuns = replaces.but(.inFunction, .error)

  /// SQLite allows the call only while no statement has the database open.
  private static let whileNothingReads = Refusals.works.but(.inFunction, .locked)
    .but(.atRow, .locked).but(.whileLent, .locked)

  /// The database of the fixture is in memory.
  private static let hasNoWAL = Situation.allCases.reduce(Refusals.never) { $0.but($1, .error) }
    .but(.closed, .misuse).but(.kept, .misuse).but(.inCollation, .misuse).needing(.snapshots)
}
