import Sluice

/// Every public member that can touch SQLite, with the situations in which it throws.
///
/// A member has one entry for each of its overloads. It goes to the list of what it is used with:
/// a connection, a statement, a row, the arguments of a function, or a queue. An entry is one
/// line: the name that the compiler has for the member, the ``Refusals``, and a call.
enum MisuseMatrix {
  /// The entries that are used with a connection.
  static var ofConnections: [Entry<Connection>] {
    connection + publishers + hooks + tables + codable + session + copies + blobs + wal + fullText
      + settings + files
      + withoutConnection
  }

  /// The names of all entries.
  static var symbols: [String] {
    ofConnections.map(\.symbol)
      + (statement + coding).map(\.symbol)
      + row.map(\.symbol)
      + arguments.map(\.symbol) + queue.map(\.symbol) + reader.map(\.symbol)
      + readQueue.map(\.symbol) + pool.map(\.symbol)
  }

  /// The types whose members need no entry, with all that is inside of them, and why.
  static let values = [
    "AccessRecord": "a copy of what a queue told",
    "ApplyOptions": "a set of flags",
    "Array": "a value of Swift",
    "AppliedMigration": "a copy of what the database told",
    "AttachedDatabase": "a copy of what SQLite told",
    "AuthorizationRequest": "a copy of what SQLite asked",
    "Autovacuum": "a copy of what SQLite told",
    "Bool": "a value of Swift",
    "ChangeGroup": "changes without a connection",
    "ChangesetConflict": "a copy of what SQLite told",
    "ChangesetFormat": "a name for a type",
    "ChangesetRebase": "bytes",
    "ChangesetRebaser": "changes without a connection",
    "ChangesFormat": "a name for a type",
    "ChangeStream": "changes without a connection",
    "Checkpoint": "a copy of what SQLite told",
    "CheckpointMode": "an enumeration",
    "CodingStrategies": "a value",
    "ColumnInfo": "a copy of what SQLite told",
    "ColumnOrigin": "a copy of what SQLite told",
    "Configuration": "settings, which opening a connection applies",
    "ConnectionMonitor": "what others implement",
    "ConnectionCounter": "an enumeration",
    "ConnectionFeed": "tells a subscriber, of which ConnectionPublisherTests tell",
    "ConnectionLimit": "an enumeration",
    "ConnectionPragma": "a name",
    "ConnectionPublisher": "tells a subscriber, of which ConnectionPublisherTests tell",
    "ConnectionSwitch": "an enumeration",
    "Data": "a value of Foundation",
    "DatabaseAccess": "what a queue is to those who read",
    "DatabasePragma": "a name",
    "DatabaseValue": "a value",
    "DatabaseWatch": "watches files, not a connection",
    "DateStrategy": "a value",
    "DeadlineError": "a value",
    "Demand": "a number",
    "Double": "a value of Swift",
    "EncryptionKey": "a value, which opening a connection uses",
    "Float": "a value of Swift",
    "ForeignKeyInfo": "a copy of what SQLite told",
    "ForeignKeyViolation": "a copy of what SQLite told",
    "FileLock": "a lock without a connection, of which NativeFileTests tell",
    "FileLocks": "locks without a connection",
    "FTS5Context": "lent to a function that a query calls, of which FullTextFunctionTests tell",
    "FTS5Instance": "three numbers",
    "FTS5Pattern": "text, which a statement binds",
    "FTS5Token": "a value",
    "FTS5TokenFilter": "what others implement",
    "FTS5Tokenizer": "what others implement",
    "FTS5TokenSink": "lent to a tokenizer, of which TokenizerErrorTests tell",
    "FunctionOptions": "a set of flags",
    "HookToken": "a flag, which any thread may set",
    "IndexInfo": "a copy of what SQLite told",
    "JSONLinesMonitor": "a closure, which connections call",
    "KeyStrategy": "a value",
    "LogEntry": "a copy of what SQLite told",
    "Migration": "text or a closure, which a migrator runs",
    "MigrationDryRun": "a copy of what a migrator has found out",
    "MigrationError": "a copy of what the database told",
    "MigrationProgress": "a copy of what a migrator does",
    "MigrationReport": "a copy of what a migrator has done",
    "MigrationStep": "a number and a name",
    "Optional": "a value of Swift",
    "PatchsetFormat": "a name for a type",
    "PendingRowChange": "lent for the time of a call in which all else is refused",
    "PoolStatus": "a copy of numbers",
    "QueryPlan": "a copy of what SQLite told",
    "QueryReader": "what queues and pools are to queries in files",
    "QueryWriter": "what queues and pools are to queries in files",
    "QueueRowPublisher": "a description of what a subscription does",
    "RecordedChange": "a copy of what SQLite told",
    "RecordedChanges": "bytes, and what SQLite reads there",
    "ResultCode": "a number with names",
    "RowChange": "a copy of what SQLite told",
    "RowPublisher": "a description of what a subscription does",
    "RowStream": "a description of what its iterator does",
    "RTreeMatch": "a value",
    "RTreeNode": "what is lent to a query of an R*Tree",
    "RowValues": "a copy of a row",
    "SessionOptions": "a set of flags",
    "SharedMemory": "memory, which SQLite uses",
    "SharedMemoryOperation": "lent to a file, which passes it on",
    "SQL": "text and values, which the connection binds",
    "SQLAggregateFunction": "what others implement",
    "SQLAggregateWindowFunction": "what others implement",
    "SQLOrder": "an enumeration",
    "SQLParameter": "a value, which a statement binds",
    "SQLValue": "what others implement",
    "SQLiteDefect": "a description",
    "SQLiteError": "a copy of what SQLite told",
    "SQLiteLibrary": "what there is once for all connections",
    "ScanStatus": "a copy of what SQLite told",
    "SchemaDifference": "a copy of what SQLite told",
    "SchemaObject": "a copy of what SQLite told",
    "Sequence": "a value of Swift",
    "StatementCacheStatistics": "a copy of numbers",
    "StatementRecord": "a copy of what SQLite told",
    "StorageClass": "an enumeration",
    "String": "a value of Swift",
    "TableChanges": "a copy of what SQLite told",
    "TableInfo": "a copy of what SQLite told",
    "TraceEvent": "lent for the time of a call in which all else is refused",
    "TraceEvents": "a set of flags",
    "TransactionKind": "an enumeration",
    "ValueCancellable": "a closure, which any thread may have called",
    "ValuePublisher": "tells a subscriber, of which QueuePublisherTests tell",
    "ValueSubscriber": "what others implement",
    "ValueSubscription": "a number and a flag, which any thread may change",
    "VirtualFile": "what others implement",
    "VirtualFileAccess": "an enumeration",
    "VirtualFileControl": "lent to a file for the time of a call",
    "VirtualFileLock": "an enumeration",
    "VirtualFileRequest": "lent to a file system for the time of a call",
    "VirtualFileShim": "what others implement",
    "VirtualFileSync": "a set of flags",
    "VirtualFileSystem": "what others implement",
    "VirtualFileSystemShim": "what others implement",
    "VirtualFileTraits": "a set of flags",
    "VirtualTable": "what others implement",
    "VirtualTableArguments": "a copy of what SQLite told",
    "VirtualTableConstraint": "a copy of what SQLite told",
    "VirtualTableCursor": "what others implement",
    "VirtualTableFilter": "what is lent to a cursor",
    "VirtualTableFunction": "a closure, which SQL calls",
    "VirtualTableOptions": "a set of flags",
    "VirtualTablePlan": "a value, which a table answers with",
    "VirtualTableQuery": "what is lent to a table that makes a plan",
    "VirtualTableRow": "what is lent to a table that is changed",
    "VirtualTableSchema": "a value",
    "WALCommit": "a copy of what SQLite told",
    "WALStarvation": "a copy of what SQLite told",
    "WritableVirtualTable": "what others implement",
  ]
}

extension PublicSymbols.Symbol {
  /// Whether it belongs to a type that only holds values.
  var isOfValue: Bool {
    MisuseMatrix.values.keys.contains { name.hasPrefix($0 + ".") }
  }
}
