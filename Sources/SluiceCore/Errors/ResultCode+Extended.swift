/// The extended codes: the kind of failure, and which one of its kind.
extension ResultCode {
  /// A collation that the statement needs is not registered.
  public static var errorMissingCollation: ResultCode { error.extended(1) }
  /// The statement could not be prepared and should be tried again.
  public static var errorRetry: ResultCode { error.extended(2) }
  /// The snapshot that was asked for is no longer there.
  public static var errorSnapshot: ResultCode { error.extended(3) }
  /// Reading the file failed.
  public static var ioErrorRead: ResultCode { ioError.extended(1) }
  /// The file ended before what was to be read.
  public static var ioErrorShortRead: ResultCode { ioError.extended(2) }
  /// Writing the file failed.
  public static var ioErrorWrite: ResultCode { ioError.extended(3) }
  /// Syncing the file to the disk failed.
  public static var ioErrorSync: ResultCode { ioError.extended(4) }
  /// Syncing the folder to the disk failed.
  public static var ioErrorDirectorySync: ResultCode { ioError.extended(5) }
  /// Truncating the file failed.
  public static var ioErrorTruncate: ResultCode { ioError.extended(6) }
  /// Asking for the state of the file failed.
  public static var ioErrorStatus: ResultCode { ioError.extended(7) }
  /// Releasing a lock failed.
  public static var ioErrorUnlock: ResultCode { ioError.extended(8) }
  /// Taking a read lock failed.
  public static var ioErrorReadLock: ResultCode { ioError.extended(9) }
  /// Deleting a file failed.
  public static var ioErrorDelete: ResultCode { ioError.extended(10) }
  /// Not used by SQLite at present.
  public static var ioErrorBlocked: ResultCode { ioError.extended(11) }
  /// Memory for an operation on the file could not be allocated.
  public static var ioErrorNoMemory: ResultCode { ioError.extended(12) }
  /// Asking whether a file is there failed.
  public static var ioErrorAccess: ResultCode { ioError.extended(13) }
  /// Asking for a lock of another connection failed.
  public static var ioErrorCheckReservedLock: ResultCode { ioError.extended(14) }
  /// Taking a lock failed.
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
  /// Moving within the file failed.
  public static var ioErrorSeek: ResultCode { ioError.extended(22) }
  /// The file that was to be deleted is not there.
  public static var ioErrorDeleteMissing: ResultCode { ioError.extended(23) }
  /// Mapping the file into memory failed.
  public static var ioErrorMemoryMap: ResultCode { ioError.extended(24) }
  /// No folder for temporary files was found.
  public static var ioErrorTemporaryPath: ResultCode { ioError.extended(25) }
  /// A path could not be converted for the system.
  public static var ioErrorPathConversion: ResultCode { ioError.extended(26) }
  /// The file was replaced or renamed while it was open.
  public static var ioErrorVnode: ResultCode { ioError.extended(27) }
  /// The system denied access to the file.
  public static var ioErrorAuthorization: ResultCode { ioError.extended(28) }
  /// An atomic write could not be begun.
  public static var ioErrorBeginAtomic: ResultCode { ioError.extended(29) }
  /// An atomic write could not be committed.
  public static var ioErrorCommitAtomic: ResultCode { ioError.extended(30) }
  /// An atomic write could not be rolled back.
  public static var ioErrorRollbackAtomic: ResultCode { ioError.extended(31) }
  /// A checksum in the file does not agree with its content.
  public static var ioErrorData: ResultCode { ioError.extended(32) }
  /// The file system is damaged.
  public static var ioErrorFileSystem: ResultCode { ioError.extended(33) }
  /// Another connection to the same shared cache holds a lock.
  public static var lockedSharedCache: ResultCode { locked.extended(1) }
  /// A virtual table holds a lock.
  public static var lockedVirtualTable: ResultCode { locked.extended(2) }
  /// Another process is recovering the WAL after a crash.
  public static var busyRecovery: ResultCode { busy.extended(1) }
  /// A read transaction cannot write, because another connection has written since it began.
  public static var busySnapshot: ResultCode { busy.extended(2) }
  /// A blocking lock was not granted in time.
  public static var busyTimeout: ResultCode { busy.extended(3) }
  /// Not used by SQLite at present.
  public static var cantOpenNoTemporaryFolder: ResultCode { cantOpen.extended(1) }
  /// The path is that of a folder.
  public static var cantOpenFolder: ResultCode { cantOpen.extended(2) }
  /// The full path could not be determined.
  public static var cantOpenFullPath: ResultCode { cantOpen.extended(3) }
  /// A path could not be converted for the system.
  public static var cantOpenPathConversion: ResultCode { cantOpen.extended(4) }
  /// Not used by SQLite at present.
  public static var cantOpenDirtyWAL: ResultCode { cantOpen.extended(5) }
  /// The path is a symbolic link, and those are not to be followed.
  public static var cantOpenSymbolicLink: ResultCode { cantOpen.extended(6) }
  /// The content of a virtual table is damaged.
  public static var corruptVirtualTable: ResultCode { corrupt.extended(1) }
  /// The table of autoincremented keys is damaged.
  public static var corruptSequence: ResultCode { corrupt.extended(2) }
  /// An index does not agree with its table.
  public static var corruptIndex: ResultCode { corrupt.extended(3) }
  /// The WAL needs recovery, which needs the right to write.
  public static var readOnlyRecovery: ResultCode { readOnly.extended(1) }
  /// The lock file of the WAL cannot be written.
  public static var readOnlyCantLock: ResultCode { readOnly.extended(2) }
  /// A journal must be rolled back, which needs the right to write.
  public static var readOnlyRollback: ResultCode { readOnly.extended(3) }
  /// The database file was moved after it was opened.
  public static var readOnlyMoved: ResultCode { readOnly.extended(4) }
  /// The shared memory of the WAL is not set up and cannot be.
  public static var readOnlyCantInitialize: ResultCode { readOnly.extended(5) }
  /// The folder of the database cannot be written.
  public static var readOnlyFolder: ResultCode { readOnly.extended(6) }
  /// A statement was stopped because its transaction was rolled back.
  public static var abortRollback: ResultCode { abort.extended(2) }
  /// A CHECK constraint is violated.
  public static var constraintCheck: ResultCode { constraint.extended(1) }
  /// A commit hook refused the commit.
  public static var constraintCommitHook: ResultCode { constraint.extended(2) }
  /// A foreign key points to nothing.
  public static var constraintForeignKey: ResultCode { constraint.extended(3) }
  /// Not used by SQLite; for functions of extensions.
  public static var constraintFunction: ResultCode { constraint.extended(4) }
  /// NULL is not allowed in a column.
  public static var constraintNotNull: ResultCode { constraint.extended(5) }
  /// A primary key is there already.
  public static var constraintPrimaryKey: ResultCode { constraint.extended(6) }
  /// A trigger raised an error.
  public static var constraintTrigger: ResultCode { constraint.extended(7) }
  /// A value that must be unique is there already.
  public static var constraintUnique: ResultCode { constraint.extended(8) }
  /// Not used by SQLite; for virtual tables.
  public static var constraintVirtualTable: ResultCode { constraint.extended(9) }
  /// A rowid is there already.
  public static var constraintRowid: ResultCode { constraint.extended(10) }
  /// A row was changed by an update trigger that must not change it.
  public static var constraintPinned: ResultCode { constraint.extended(11) }
  /// A value is not of the type that a STRICT table asks for.
  public static var constraintDataType: ResultCode { constraint.extended(12) }
  /// The log reports that a WAL was recovered.
  public static var noticeRecoverWAL: ResultCode { notice.extended(1) }
  /// The log reports that a journal was rolled back.
  public static var noticeRecoverRollback: ResultCode { notice.extended(2) }
  /// The log reports that an index was built for one statement.
  public static var warningAutomaticIndex: ResultCode { warning.extended(1) }
  /// Not used by SQLite at present.
  public static var authorizationUser: ResultCode { authorization.extended(1) }
}
