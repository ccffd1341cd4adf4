import CSluice

/// A control that SQLite or a pragma sends to a file, valid only during the call.
///
/// The corresponding C values are `SQLITE_FCNTL_*`.
@safe public struct VirtualFileControl: ~Copyable {
  /// The C code of the control.
  public let code: Int
  /// The kind of the control, with its arguments.
  public let kind: Kind
  let argument: UnsafeMutableRawPointer?

  init(_ code: Int32, _ argument: UnsafeMutableRawPointer?) {
    self.code = Int(code)
    kind = unsafe Kind(code, argument)
    unsafe self.argument = argument
  }

  /// The kind of a file control.
  public enum Kind: Hashable, Sendable {
    /// A pragma for the database of this file.
    ///
    /// ``VirtualFileAnswer/text(_:)`` is the result of the pragma, and a thrown error is its error. If the
    /// answer is ``VirtualFileAnswer/unknown``, SQLite handles the pragma.
    case pragma(name: String, argument: String?)
    /// The file will have approximately this number of bytes.
    case sizeHint(Int64)
    /// The file should grow and shrink by this number of bytes.
    case chunkSize(Int)
    /// The file is about to be synced.
    ///
    /// SQLite sends this control even if syncs are turned off, and then omits the sync itself. For a
    /// transaction in several databases, `superJournal` is the path of its super-journal.
    case syncs(superJournal: String?)
    /// A transaction has been committed, and the lock is about to be released.
    case commitPhaseTwo
    /// The whole file is about to be overwritten.
    case overwrites
    /// Pages are about to be copied from the WAL into the file.
    case checkpointBegins
    /// Pages have been copied from the WAL into the file.
    case checkpointEnds
    /// A group of writes begins, which requires the trait ``VirtualFileTraits/batchAtomic``.
    case beginAtomicWrite
    /// The group of writes must be committed.
    case commitAtomicWrite
    /// The group of writes must be rolled back.
    case rollbackAtomicWrite
    /// A query about whether the file has been moved; the answer is a number.
    case hasMoved
    /// A request to set whether the WAL remains when all connections close; nil for a query of the setting.
    ///
    /// The answer to a query is a number.
    case persistsWAL(Bool?)
    /// A request to set whether the file has ``VirtualFileTraits/powersafeOverwrite``; nil for a query.
    ///
    /// The answer to a query is a number.
    case powersafeOverwrite(Bool?)
    /// A request to set the time to wait for locks, in milliseconds; the answer is the previous time.
    case lockTimeout(Int)
    /// Any other control.
    case other
  }
}

/// A file's answer to a ``VirtualFileControl``.
public enum VirtualFileAnswer: Hashable, Sendable {
  /// The file does not support the control.
  case unknown
  /// The file has performed the control.
  case done
  /// The file has performed the control, and the text is the result of the pragma.
  case text(String)
  /// The file has handled the control, and the number is its answer.
  case number(Int)
}

extension VirtualFileControl.Kind {
  /// Creates the kind of a control from its C code and argument.
  ///
  /// SQLite documents the type that `argument` points to for each code.
  init(_ code: Int32, _ argument: UnsafeMutableRawPointer?) {
    func number() -> Int32 { unsafe argument?.load(as: Int32.self) ?? -1 }
    func flag() -> Bool? { number() < 0 ? nil : number() != 0 }
    switch code {
    case SQLITE_FCNTL_PRAGMA:
      let texts = unsafe argument?.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
      self = unsafe .pragma(
        name: texts?[1].map { unsafe String(cString: $0) } ?? "",
        argument: texts?[2].map { unsafe String(cString: $0) })
    case SQLITE_FCNTL_SIZE_HINT: self = unsafe .sizeHint(argument?.load(as: Int64.self) ?? 0)
    case SQLITE_FCNTL_CHUNK_SIZE: self = .chunkSize(Int(number()))
    case SQLITE_FCNTL_SYNC:
      let path = unsafe argument.map {
        unsafe String(cString: $0.assumingMemoryBound(to: CChar.self))
      }
      self = .syncs(superJournal: path)
    case SQLITE_FCNTL_COMMIT_PHASETWO: self = .commitPhaseTwo
    case SQLITE_FCNTL_OVERWRITE: self = .overwrites
    case SQLITE_FCNTL_CKPT_START: self = .checkpointBegins
    case SQLITE_FCNTL_CKPT_DONE: self = .checkpointEnds
    case SQLITE_FCNTL_BEGIN_ATOMIC_WRITE: self = .beginAtomicWrite
    case SQLITE_FCNTL_COMMIT_ATOMIC_WRITE: self = .commitAtomicWrite
    case SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE: self = .rollbackAtomicWrite
    case SQLITE_FCNTL_HAS_MOVED: self = .hasMoved
    case SQLITE_FCNTL_PERSIST_WAL: self = .persistsWAL(flag())
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE: self = .powersafeOverwrite(flag())
    case SQLITE_FCNTL_LOCK_TIMEOUT: self = .lockTimeout(Int(number()))
    default: self = .other
    }
  }

  /// Whether the answer to a control of this kind is a number.
  fileprivate var asks: Bool {
    switch self {
    case .hasMoved, .persistsWAL, .powersafeOverwrite, .lockTimeout: true
    default: false
    }
  }
}

extension VirtualFileControl {
  /// Passes an answer to SQLite, and returns the result code.
  func answer(_ answer: VirtualFileAnswer) -> Int32 {
    switch answer {
    case .unknown: return SQLITE_NOTFOUND
    case .done: return SQLITE_OK
    case .text(let text):
      say(text)
      return SQLITE_OK
    case .number(let number):
      if kind.asks { unsafe argument?.storeBytes(of: Int32(clamping: number), as: Int32.self) }
      return SQLITE_OK
    }
  }

  /// Sets the result or the error message of a pragma.
  func say(_ text: String) {
    guard case .pragma = kind else { return }
    let texts = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    unsafe sqlite3_free(texts?[0])
    unsafe texts?[0] = sqliteCopy(of: text)
  }

  /// Removes and returns the result or error message of a pragma that a C file has answered.
  func takeSaid() -> String? {
    guard case .pragma = kind else { return nil }
    let texts = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    guard let text = unsafe texts?[0] else { return nil }
    unsafe texts?[0] = nil
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }

  /// Prepends the name of a file system to the names of the file systems that it wraps.
  func prepend(_ name: String) {
    let texts = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    let rest = unsafe texts?[0].map { unsafe "/" + String(cString: $0) } ?? ""
    unsafe sqlite3_free(texts?[0])
    unsafe texts?[0] = sqliteCopy(of: name + rest)
  }
}

/// Returns a copy of text up to the first NUL, in memory from SQLite's allocator; nil if memory runs out.
func sqliteCopy(of text: String) -> UnsafeMutablePointer<CChar>? { unsafe sluice_message(text) }
