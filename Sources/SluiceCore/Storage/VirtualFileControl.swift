import CSluice

/// Something that SQLite, or a pragma, says to a file, lent for the time of the call.
///
/// The corresponding C values are `SQLITE_FCNTL_*`.
@safe public struct VirtualFileControl: ~Copyable {
  /// The number that C has for it.
  public let code: Int
  /// The code of the control.
  public let kind: Kind
  let argument: UnsafeMutableRawPointer?

  init(_ code: Int32, _ argument: UnsafeMutableRawPointer?) {
    self.code = Int(code)
    kind = unsafe Kind(code, argument)
    unsafe self.argument = argument
  }

  /// The code of a control of a file.
  public enum Kind: Hashable, Sendable {
    /// SQL has a pragma for the database of this file; ``VirtualFileAnswer/text(_:)`` is its result, and
    /// what is thrown, its error. To one that is unknown, SQLite answers.
    case pragma(name: String, argument: String?)
    /// The file is going to have about so many bytes.
    case sizeHint(Int64)
    /// The file should grow and shrink by so many bytes.
    case chunkSize(Int)
    /// It is about to be synced, or would be if it had to be; with the path of the super-journal of a
    /// transaction in several databases.
    case syncs(superJournal: String?)
    /// A transaction has been committed, and the lock is about to be released.
    case commitPhaseTwo
    /// All of the file is about to be written anew.
    case overwrites
    /// Pages are about to be copied from the WAL into the file.
    case checkpointBegins
    /// Pages have been copied from the WAL into the file.
    case checkpointEnds
    /// A group of writes begins; sent only to a file that is ``VirtualFileTraits/batchAtomic``.
    case beginAtomicWrite
    /// The group of writes is to be committed.
    case commitAtomicWrite
    /// The group of writes is to be undone.
    case rollbackAtomicWrite
    /// A question whether the file was moved; the answer is a number.
    case hasMoved
    /// Whether the WAL stays when all have closed the database: to be set, or to be answered by a number.
    case persistsWAL(Bool?)
    /// Whether ``VirtualFileTraits/powersafeOverwrite`` is true: to be set, or to be answered by a number.
    case powersafeOverwrite(Bool?)
    /// How long to wait for locks, in milliseconds, to be answered by what it was.
    case lockTimeout(Int)
    /// Something else.
    case other
  }
}

/// The answer of a file to a ``VirtualFileControl``.
public enum VirtualFileAnswer: Hashable, Sendable {
  /// It does not know of such a thing.
  case unknown
  /// It has done it.
  case done
  /// It has done it, and this is the result of the pragma.
  case text(String)
  /// It has done it, or has been asked, and this is the number.
  case number(Int)
}

extension VirtualFileControl.Kind {
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

  /// Whether the answer is a number.
  fileprivate var asks: Bool {
    switch self {
    case .hasMoved, .persistsWAL, .powersafeOverwrite, .lockTimeout: true
    default: false
    }
  }
}

extension VirtualFileControl {
  /// Passes an answer on to the one who has asked.
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

  /// Makes text the result, or the error, of a pragma.
  func say(_ text: String) {
    guard case .pragma = kind else { return }
    let texts = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    unsafe sqlite3_free(texts?[0])
    unsafe texts?[0] = sqliteCopy(of: text)
  }

  /// Takes the result, or the error, of a pragma that a file of C has answered.
  func takeSaid() -> String? {
    guard case .pragma = kind else { return nil }
    let texts = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    guard let text = unsafe texts?[0] else { return nil }
    unsafe texts?[0] = nil
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }

  /// Puts the name of a file system before those of the ones behind it.
  func prepend(_ name: String) {
    let texts = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    let rest = unsafe texts?[0].map { unsafe "/" + String(cString: $0) } ?? ""
    unsafe sqlite3_free(texts?[0])
    unsafe texts?[0] = sqliteCopy(of: name + rest)
  }
}

/// A copy of text in memory of SQLite's, up to its first NUL; null if memory is short.
func sqliteCopy(of text: String) -> UnsafeMutablePointer<CChar>? { unsafe sluice_message(text) }
