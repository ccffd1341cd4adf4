import CSluice

/// What SQLite calls a file system for, which decides what it understands as an answer.
enum FileCall {
  case open, delete, access, fullPath, currentTime
  case close, read, write, truncate, sync, size, lock, unlock, checkReservedLock, control, pragma
  case mapSharedMemory, lockSharedMemory

  /// The code of an error that has none, or none that SQLite understands there.
  private var code: ResultCode {
    switch self {
    case .open: .cantOpen
    case .delete: .ioErrorDelete
    case .access: .ioErrorAccess
    case .fullPath: .cantOpenFullPath
    case .currentTime, .control: .ioError
    case .pragma: .error
    case .close: .ioErrorClose
    case .read: .ioErrorRead
    case .write: .ioErrorWrite
    case .truncate: .ioErrorTruncate
    case .sync: .ioErrorSync
    case .size: .ioErrorStatus
    case .lock: .ioErrorLock
    case .unlock: .ioErrorUnlock
    case .checkReservedLock: .ioErrorCheckReservedLock
    case .mapSharedMemory: .ioErrorSharedMemoryMap
    case .lockSharedMemory: .ioErrorSharedMemoryLock
    }
  }

  /// Whether SQLite does what is right with a code.
  ///
  /// After any other failure in the middle of writing, it would take its pages for what is in the file.
  private func understands(_ code: ResultCode) -> Bool {
    let isFailureOfInput = code.primary == .ioError && code != .ioErrorShortRead
    switch (self, code.primary) {
    case (_, .ioError): return isFailureOfInput
    case (_, .ok), (_, .row), (_, .done), (_, .misuse), (_, .internal): return false
    case (.pragma, _): return codeOfFailure(code) == code.rawValue
    case (.open, _), (.control, _):
      return code.primary != .error && codeOfFailure(code) == code.rawValue
    case (.write, .full), (.truncate, .full), (.sync, .full): return true
    case (.read, .corrupt), (.read, .notADatabase): return true
    case (.lock, .busy), (.checkReservedLock, .busy): return true
    case (.mapSharedMemory, .busy), (.lockSharedMemory, .busy): return true
    case (.mapSharedMemory, .readOnly), (.mapSharedMemory, .cantOpen),
      (.mapSharedMemory, .protocol),
      (.mapSharedMemory, .noMemory):
      return true
    case (.delete, .cantOpen), (.access, .cantOpen), (.fullPath, .cantOpen), (.fullPath, .noMemory):
      return true
    default: return false
    }
  }

  /// The code of an error for SQLite; its text is kept for the one who has called SQLite.
  @inline(never)
  func fail(_ error: any Error) -> Int32 {
    let error = SQLiteError(wrapping: error)
    let code = understands(error.code) ? error.code : code
    // To be asked to wait is no failure, nor is what SQLite has asked about.
    guard error.code.primary != .busy, error.code != .ioErrorDeleteMissing,
      self != .mapSharedMemory || error.code.primary != .readOnly
    else { return code.rawValue }
    unsafe error.message.withCString { unsafe sluice_keep_failure(code.rawValue, $0) }
    return code.rawValue
  }
}

/// Runs what SQLite calls a file system for; its connection cannot be used meanwhile.
@inline(__always)
func inFileSystem<T>(_ body: () throws -> T) rethrows -> T {
  sluice_enter_file_system(1)
  defer { sluice_enter_file_system(-1) }
  return try body()
}
