import CSluice

/// An SQLite result code, as specific as SQLite provides it.
///
/// Codes are extended result codes where SQLite defines them: ``constraintUnique`` is more specific than
/// ``constraint``. A code as the pattern of a `switch` case also matches all codes that refine it, so the more
/// specific case must come first:
///
/// ```swift
/// switch error.code {
/// case .constraintUnique: print("There is one already.")
/// case .constraint: print("Another constraint forbids it.")
/// default: throw error
/// }
/// ```
///
/// The corresponding C values are the `SQLITE_*` result codes.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The number of the code in C.
  public let rawValue: Int32

  /// Creates a code from its number, even if this type has no name for the code.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The primary result code, without details: for ``constraintUnique``, it is ``constraint``.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

  /// Returns whether `code` is `pattern`, or a code that refines it.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == code || pattern == code.primary
  }

  /// Returns whether `error` is an ``SQLiteError`` whose code is `pattern`, or a code that refines it.
  ///
  /// This operator makes `catch SQLiteError.busy` work.
  public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
    guard let error = error as? SQLiteError else { return false }
    return pattern ~= error.code
  }

  func extended(_ number: Int32) -> ResultCode { ResultCode(rawValue: rawValue | number << 8) }
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's description of the code, followed by its number.
  ///
  /// The corresponding C function is `sqlite3_errstr`.
  public var description: String {
    unsafe "\(String(cString: sqlite3_errstr(rawValue))) (\(rawValue))"
  }
}

/// The primary result codes, which identify the kind of a failure.
extension ResultCode {
  /// The call succeeded.
  public static var ok: ResultCode { ResultCode(rawValue: SQLITE_OK) }
  /// A failure that has no more specific code, such as a syntax error.
  public static var error: ResultCode { ResultCode(rawValue: SQLITE_ERROR) }
  /// SQLite detected an internal error.
  public static var `internal`: ResultCode { ResultCode(rawValue: SQLITE_INTERNAL) }
  /// The requested access is not granted.
  public static var permission: ResultCode { ResultCode(rawValue: SQLITE_PERM) }
  /// An operation was stopped before it was complete.
  public static var abort: ResultCode { ResultCode(rawValue: SQLITE_ABORT) }
  /// Another connection holds a lock that is required.
  public static var busy: ResultCode { ResultCode(rawValue: SQLITE_BUSY) }
  /// A lock conflict within this connection, or with a connection that shares its cache.
  public static var locked: ResultCode { ResultCode(rawValue: SQLITE_LOCKED) }
  /// Memory could not be allocated.
  public static var noMemory: ResultCode { ResultCode(rawValue: SQLITE_NOMEM) }
  /// A write was attempted, but the database or connection is read-only.
  public static var readOnly: ResultCode { ResultCode(rawValue: SQLITE_READONLY) }
  /// The operation was interrupted.
  public static var interrupt: ResultCode { ResultCode(rawValue: SQLITE_INTERRUPT) }
  /// The operating system reported an I/O error.
  public static var ioError: ResultCode { ResultCode(rawValue: SQLITE_IOERR) }
  /// The database file is damaged.
  public static var corrupt: ResultCode { ResultCode(rawValue: SQLITE_CORRUPT) }
  /// The name of a requested item is unknown.
  public static var notFound: ResultCode { ResultCode(rawValue: SQLITE_NOTFOUND) }
  /// The disk is full, or the database has reached its size limit.
  public static var full: ResultCode { ResultCode(rawValue: SQLITE_FULL) }
  /// A file could not be opened.
  public static var cantOpen: ResultCode { ResultCode(rawValue: SQLITE_CANTOPEN) }
  /// Contention for the locks of the WAL protocol lasted too long.
  public static var `protocol`: ResultCode { ResultCode(rawValue: SQLITE_PROTOCOL) }
  /// Not used by SQLite at present.
  public static var empty: ResultCode { ResultCode(rawValue: SQLITE_EMPTY) }
  /// The schema changed too often while a statement was prepared.
  public static var schema: ResultCode { ResultCode(rawValue: SQLITE_SCHEMA) }
  /// Text, a blob or SQL exceeds the limit.
  public static var tooBig: ResultCode { ResultCode(rawValue: SQLITE_TOOBIG) }
  /// A constraint of the schema is violated.
  public static var constraint: ResultCode { ResultCode(rawValue: SQLITE_CONSTRAINT) }
  /// A value does not have the required type.
  public static var mismatch: ResultCode { ResultCode(rawValue: SQLITE_MISMATCH) }
  /// A call is not allowed at this point.
  public static var misuse: ResultCode { ResultCode(rawValue: SQLITE_MISUSE) }
  /// The system does not support files of this size.
  public static var noLargeFileSupport: ResultCode { ResultCode(rawValue: SQLITE_NOLFS) }
  /// The authorizer denied the statement.
  public static var authorization: ResultCode { ResultCode(rawValue: SQLITE_AUTH) }
  /// Not used by SQLite at present.
  public static var format: ResultCode { ResultCode(rawValue: SQLITE_FORMAT) }
  /// An index is out of range, or a name does not exist.
  public static var range: ResultCode { ResultCode(rawValue: SQLITE_RANGE) }
  /// The file is not a database.
  public static var notADatabase: ResultCode { ResultCode(rawValue: SQLITE_NOTADB) }
  /// A notice in the log, never an error.
  public static var notice: ResultCode { ResultCode(rawValue: SQLITE_NOTICE) }
  /// A warning in the log, never an error.
  public static var warning: ResultCode { ResultCode(rawValue: SQLITE_WARNING) }
  /// A step has produced a row.
  public static var row: ResultCode { ResultCode(rawValue: SQLITE_ROW) }
  /// A step has reached the end.
  public static var done: ResultCode { ResultCode(rawValue: SQLITE_DONE) }
}

extension ResultCode {
  /// The name of the code in C, such as SQLITE_CONSTRAINT_UNIQUE.
  ///
  /// For an extended code that Sluice does not know, the name is that of the primary code; for an unknown primary
  /// code, the name is nil. SQLite has no function that returns the name.
  var name: String? {
    guard let kind = Self.kinds[rawValue & 0xff] else { return nil }
    let index = Int(rawValue >> 8) - 1
    guard kind.details.indices.contains(index), kind.details[index] != "" else {
      return "SQLITE_" + kind.name
    }
    return "SQLITE_" + kind.name + "_" + kind.details[index]
  }

  /// The primary codes, each with its extended codes in the order of their numbers.
  private static let kinds: [Int32: (name: String, details: [String])] = [
    0: ("OK", []),
    1: ("ERROR", ["MISSING_COLLSEQ", "RETRY", "SNAPSHOT", "RESERVESIZE", "KEY", "UNABLE"]),
    2: ("INTERNAL", []),
    3: ("PERM", []),
    4: ("ABORT", ["", "ROLLBACK"]),
    5: ("BUSY", ["RECOVERY", "SNAPSHOT", "TIMEOUT"]),
    6: ("LOCKED", ["SHAREDCACHE", "VTAB"]),
    7: ("NOMEM", []),
    8: (
      "READONLY", ["RECOVERY", "CANTLOCK", "ROLLBACK", "DBMOVED", "CANTINIT", "DIRECTORY"]
    ),
    9: ("INTERRUPT", []),
    10: (
      "IOERR",
      [
        "READ", "SHORT_READ", "WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "FSTAT", "UNLOCK",
        "RDLOCK", "DELETE", "BLOCKED", "NOMEM", "ACCESS", "CHECKRESERVEDLOCK", "LOCK", "CLOSE",
        "DIR_CLOSE", "SHMOPEN", "SHMSIZE", "SHMLOCK", "SHMMAP", "SEEK", "DELETE_NOENT", "MMAP",
        "GETTEMPPATH", "CONVPATH", "VNODE", "AUTH", "BEGIN_ATOMIC", "COMMIT_ATOMIC",
        "ROLLBACK_ATOMIC", "DATA", "CORRUPTFS", "IN_PAGE", "BADKEY", "CODEC",
      ]
    ),
    11: ("CORRUPT", ["VTAB", "SEQUENCE", "INDEX"]),
    12: ("NOTFOUND", []),
    13: ("FULL", []),
    14: ("CANTOPEN", ["NOTEMPDIR", "ISDIR", "FULLPATH", "CONVPATH", "DIRTYWAL", "SYMLINK"]),
    15: ("PROTOCOL", []),
    16: ("EMPTY", []),
    17: ("SCHEMA", []),
    18: ("TOOBIG", []),
    19: (
      "CONSTRAINT",
      [
        "CHECK", "COMMITHOOK", "FOREIGNKEY", "FUNCTION", "NOTNULL", "PRIMARYKEY", "TRIGGER",
        "UNIQUE", "VTAB", "ROWID", "PINNED", "DATATYPE",
      ]
    ),
    20: ("MISMATCH", []),
    21: ("MISUSE", []),
    22: ("NOLFS", []),
    23: ("AUTH", ["USER"]),
    24: ("FORMAT", []),
    25: ("RANGE", []),
    26: ("NOTADB", []),
    27: ("NOTICE", ["RECOVER_WAL", "RECOVER_ROLLBACK", "RBU"]),
    28: ("WARNING", ["AUTOINDEX"]),
    100: ("ROW", []),
    101: ("DONE", []),
  ]
}

/// The extended result codes, which refine the primary ones.
extension ResultCode {
  /// A collation that the statement needs is not registered.
  public static var errorMissingCollation: ResultCode { error.extended(1) }
  /// The statement could not be prepared and should be retried.
  public static var errorRetry: ResultCode { error.extended(2) }
  /// The requested snapshot no longer exists.
  public static var errorSnapshot: ResultCode { error.extended(3) }
  /// Reading the file failed.
  public static var ioErrorRead: ResultCode { ioError.extended(1) }
  /// The file ended before the last requested byte.
  public static var ioErrorShortRead: ResultCode { ioError.extended(2) }
  /// Writing the file failed.
  public static var ioErrorWrite: ResultCode { ioError.extended(3) }
  /// Syncing the file to the disk failed.
  public static var ioErrorSync: ResultCode { ioError.extended(4) }
  /// Syncing the folder to the disk failed.
  public static var ioErrorDirectorySync: ResultCode { ioError.extended(5) }
  /// Truncating the file failed.
  public static var ioErrorTruncate: ResultCode { ioError.extended(6) }
  /// Reading the status of the file failed.
  public static var ioErrorStatus: ResultCode { ioError.extended(7) }
  /// Releasing a lock failed.
  public static var ioErrorUnlock: ResultCode { ioError.extended(8) }
  /// Acquiring a read lock failed.
  public static var ioErrorReadLock: ResultCode { ioError.extended(9) }
  /// Deleting a file failed.
  public static var ioErrorDelete: ResultCode { ioError.extended(10) }
  /// Not used by SQLite at present.
  public static var ioErrorBlocked: ResultCode { ioError.extended(11) }
  /// Memory for an operation on the file could not be allocated.
  public static var ioErrorNoMemory: ResultCode { ioError.extended(12) }
  /// Checking whether a file exists failed.
  public static var ioErrorAccess: ResultCode { ioError.extended(13) }
  /// Checking whether another connection holds a lock failed.
  public static var ioErrorCheckReservedLock: ResultCode { ioError.extended(14) }
  /// Acquiring a lock failed.
  public static var ioErrorLock: ResultCode { ioError.extended(15) }
  /// Closing the file failed.
  public static var ioErrorClose: ResultCode { ioError.extended(16) }
  /// Not used by SQLite at present.
  public static var ioErrorDirectoryClose: ResultCode { ioError.extended(17) }
  /// Opening the shared memory of the WAL failed.
  public static var ioErrorSharedMemoryOpen: ResultCode { ioError.extended(18) }
  /// Growing the shared memory of the WAL failed.
  public static var ioErrorSharedMemorySize: ResultCode { ioError.extended(19) }
  /// Not used by SQLite at present.
  public static var ioErrorSharedMemoryLock: ResultCode { ioError.extended(20) }
  /// Mapping the shared memory of the WAL failed.
  public static var ioErrorSharedMemoryMap: ResultCode { ioError.extended(21) }
  /// Seeking within the file failed.
  public static var ioErrorSeek: ResultCode { ioError.extended(22) }
  /// The file to be deleted does not exist.
  public static var ioErrorDeleteMissing: ResultCode { ioError.extended(23) }
  /// Mapping the file into memory failed.
  public static var ioErrorMemoryMap: ResultCode { ioError.extended(24) }
  /// SQLite found no folder for temporary files.
  public static var ioErrorTemporaryPath: ResultCode { ioError.extended(25) }
  /// A path could not be converted for the operating system.
  public static var ioErrorPathConversion: ResultCode { ioError.extended(26) }
  /// The file was replaced or renamed while it was open.
  public static var ioErrorVnode: ResultCode { ioError.extended(27) }
  /// The system denied access to the file.
  public static var ioErrorAuthorization: ResultCode { ioError.extended(28) }
  /// An atomic write could not begin.
  public static var ioErrorBeginAtomic: ResultCode { ioError.extended(29) }
  /// An atomic write could not be committed.
  public static var ioErrorCommitAtomic: ResultCode { ioError.extended(30) }
  /// An atomic write could not be rolled back.
  public static var ioErrorRollbackAtomic: ResultCode { ioError.extended(31) }
  /// A checksum in the file does not match its content.
  public static var ioErrorData: ResultCode { ioError.extended(32) }
  /// The file system is damaged.
  public static var ioErrorFileSystem: ResultCode { ioError.extended(33) }
  /// Another connection to the same shared cache holds a lock.
  public static var lockedSharedCache: ResultCode { locked.extended(1) }
  /// A virtual table holds a lock.
  public static var lockedVirtualTable: ResultCode { locked.extended(2) }
  /// Another process is recovering the WAL after a crash.
  public static var busyRecovery: ResultCode { busy.extended(1) }
  /// A read transaction cannot write, because another connection has written since the transaction began.
  public static var busySnapshot: ResultCode { busy.extended(2) }
  /// A blocking request for a lock timed out.
  public static var busyTimeout: ResultCode { busy.extended(3) }
  /// Not used by SQLite at present.
  public static var cantOpenNoTemporaryFolder: ResultCode { cantOpen.extended(1) }
  /// The path refers to a folder.
  public static var cantOpenFolder: ResultCode { cantOpen.extended(2) }
  /// The full path could not be determined.
  public static var cantOpenFullPath: ResultCode { cantOpen.extended(3) }
  /// A path could not be converted for the operating system.
  public static var cantOpenPathConversion: ResultCode { cantOpen.extended(4) }
  /// Not used by SQLite at present.
  public static var cantOpenDirtyWAL: ResultCode { cantOpen.extended(5) }
  /// The path is a symbolic link, and links must not be followed.
  public static var cantOpenSymbolicLink: ResultCode { cantOpen.extended(6) }
  /// The content of a virtual table is damaged.
  public static var corruptVirtualTable: ResultCode { corrupt.extended(1) }
  /// The table of `AUTOINCREMENT` keys is damaged.
  public static var corruptSequence: ResultCode { corrupt.extended(2) }
  /// An index does not match its table.
  public static var corruptIndex: ResultCode { corrupt.extended(3) }
  /// The WAL needs recovery, which requires write access.
  public static var readOnlyRecovery: ResultCode { readOnly.extended(1) }
  /// The lock file of the WAL cannot be written.
  public static var readOnlyCantLock: ResultCode { readOnly.extended(2) }
  /// A journal must be rolled back, which requires write access.
  public static var readOnlyRollback: ResultCode { readOnly.extended(3) }
  /// The database file was moved after it was opened.
  public static var readOnlyMoved: ResultCode { readOnly.extended(4) }
  /// The shared memory of the WAL is not initialized and cannot be.
  public static var readOnlyCantInitialize: ResultCode { readOnly.extended(5) }
  /// The folder of the database cannot be written.
  public static var readOnlyFolder: ResultCode { readOnly.extended(6) }
  /// A statement was stopped because its transaction was rolled back.
  public static var abortRollback: ResultCode { abort.extended(2) }
  /// A CHECK constraint is violated.
  public static var constraintCheck: ResultCode { constraint.extended(1) }
  /// A commit hook refused the commit.
  public static var constraintCommitHook: ResultCode { constraint.extended(2) }
  /// A foreign key refers to a missing row.
  public static var constraintForeignKey: ResultCode { constraint.extended(3) }
  /// Not used by SQLite; reserved for functions of extensions.
  public static var constraintFunction: ResultCode { constraint.extended(4) }
  /// A NOT NULL constraint is violated.
  public static var constraintNotNull: ResultCode { constraint.extended(5) }
  /// A row with this primary key already exists.
  public static var constraintPrimaryKey: ResultCode { constraint.extended(6) }
  /// A trigger raised an error.
  public static var constraintTrigger: ResultCode { constraint.extended(7) }
  /// A value that must be unique already exists.
  public static var constraintUnique: ResultCode { constraint.extended(8) }
  /// Not used by SQLite; reserved for virtual tables.
  public static var constraintVirtualTable: ResultCode { constraint.extended(9) }
  /// A row with this rowid already exists.
  public static var constraintRowid: ResultCode { constraint.extended(10) }
  /// An update trigger attempted to delete the row that is being updated.
  public static var constraintPinned: ResultCode { constraint.extended(11) }
  /// A value does not have the type that a STRICT table requires.
  public static var constraintDataType: ResultCode { constraint.extended(12) }
  /// The queue, pool, snapshot or cluster is closed.
  ///
  /// Sluice defines this code, because SQLite has no extended code of ``misuse``. With it, a service can distinguish a
  /// call after its shutdown from a mistake.
  public static var misuseClosed: ResultCode { misuse.extended(255) }
  /// The log reports that a WAL was recovered.
  public static var noticeRecoverWAL: ResultCode { notice.extended(1) }
  /// The log reports that a journal was rolled back.
  public static var noticeRecoverRollback: ResultCode { notice.extended(2) }
  /// The log reports that an index was built for one statement.
  public static var warningAutomaticIndex: ResultCode { warning.extended(1) }
  /// Not used by SQLite at present.
  public static var authorizationUser: ResultCode { authorization.extended(1) }
}
