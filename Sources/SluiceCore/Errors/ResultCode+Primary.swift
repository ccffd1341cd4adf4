import CSluice

/// The primary codes: what kind of failure it is.
extension ResultCode {
  /// The call succeeded.
  public static var ok: ResultCode { ResultCode(rawValue: SQLITE_OK) }
  /// Something went wrong for which there is no better code, such as a syntax error.
  public static var error: ResultCode { ResultCode(rawValue: SQLITE_ERROR) }
  /// SQLite found a fault in itself.
  public static var `internal`: ResultCode { ResultCode(rawValue: SQLITE_INTERNAL) }
  /// The requested access is not granted.
  public static var permission: ResultCode { ResultCode(rawValue: SQLITE_PERM) }
  /// An operation was stopped before it was complete.
  public static var abort: ResultCode { ResultCode(rawValue: SQLITE_ABORT) }
  /// Another connection holds a lock that is needed.
  public static var busy: ResultCode { ResultCode(rawValue: SQLITE_BUSY) }
  /// A conflict within this connection, or with one that shares its cache.
  public static var locked: ResultCode { ResultCode(rawValue: SQLITE_LOCKED) }
  /// Memory could not be allocated.
  public static var noMemory: ResultCode { ResultCode(rawValue: SQLITE_NOMEM) }
  /// A write was tried where only reading is possible.
  public static var readOnly: ResultCode { ResultCode(rawValue: SQLITE_READONLY) }
  /// The operation was interrupted.
  public static var interrupt: ResultCode { ResultCode(rawValue: SQLITE_INTERRUPT) }
  /// The operating system reported an error of input or output.
  public static var ioError: ResultCode { ResultCode(rawValue: SQLITE_IOERR) }
  /// The database file is damaged.
  public static var corrupt: ResultCode { ResultCode(rawValue: SQLITE_CORRUPT) }
  /// Something that was asked for by name is not known.
  public static var notFound: ResultCode { ResultCode(rawValue: SQLITE_NOTFOUND) }
  /// The disk, or the database up to its limit, is full.
  public static var full: ResultCode { ResultCode(rawValue: SQLITE_FULL) }
  /// A file could not be opened.
  public static var cantOpen: ResultCode { ResultCode(rawValue: SQLITE_CANTOPEN) }
  /// Locks were contended for too long in the WAL protocol.
  public static var `protocol`: ResultCode { ResultCode(rawValue: SQLITE_PROTOCOL) }
  /// Not used by SQLite at present.
  public static var empty: ResultCode { ResultCode(rawValue: SQLITE_EMPTY) }
  /// The schema changed too often while a statement was prepared.
  public static var schema: ResultCode { ResultCode(rawValue: SQLITE_SCHEMA) }
  /// Text, a blob or SQL is larger than the limit.
  public static var tooBig: ResultCode { ResultCode(rawValue: SQLITE_TOOBIG) }
  /// A constraint of the schema is violated.
  public static var constraint: ResultCode { ResultCode(rawValue: SQLITE_CONSTRAINT) }
  /// A value is not of the type that is needed.
  public static var mismatch: ResultCode { ResultCode(rawValue: SQLITE_MISMATCH) }
  /// A call was made that is not allowed at this point.
  public static var misuse: ResultCode { ResultCode(rawValue: SQLITE_MISUSE) }
  /// The system cannot hold files as large as this.
  public static var noLargeFileSupport: ResultCode { ResultCode(rawValue: SQLITE_NOLFS) }
  /// The authorizer denied the statement.
  public static var authorization: ResultCode { ResultCode(rawValue: SQLITE_AUTH) }
  /// Not used by SQLite at present.
  public static var format: ResultCode { ResultCode(rawValue: SQLITE_FORMAT) }
  /// An index or a name is outside of what there is.
  public static var range: ResultCode { ResultCode(rawValue: SQLITE_RANGE) }
  /// The file is not a database.
  public static var notADatabase: ResultCode { ResultCode(rawValue: SQLITE_NOTADB) }
  /// A notice in the log, never an error.
  public static var notice: ResultCode { ResultCode(rawValue: SQLITE_NOTICE) }
  /// A warning in the log, never an error.
  public static var warning: ResultCode { ResultCode(rawValue: SQLITE_WARNING) }
  /// A step has made a row.
  public static var row: ResultCode { ResultCode(rawValue: SQLITE_ROW) }
  /// A step has come to the end.
  public static var done: ResultCode { ResultCode(rawValue: SQLITE_DONE) }
}
