/// How often SQLite waits until the disk has what was written.
///
/// The corresponding SQL is `PRAGMA synchronous`.
public enum SynchronousMode: Hashable, Sendable, CaseIterable {
  /// Never: a power failure can damage the database.
  case off
  /// At the moments that count most: with a WAL, a power failure can undo what was committed last; without one,
  /// it can damage the database on an old file system.
  case normal
  /// With each transaction.
  case full
  /// As ``full``, and until the folder knows that the journal is gone.
  case extra
}

/// The treatment of pages that are not needed any more.
///
/// The corresponding SQL is `PRAGMA auto_vacuum`.
public enum AutoVacuumMode: Hashable, Sendable, CaseIterable {
  /// They stay in the file, for later.
  case none
  /// The file becomes shorter with each transaction.
  case full
  /// They stay until ``Connection/incrementalVacuum(pages:database:)``.
  case incremental
}

/// The treatment of deleted content.
///
/// The corresponding SQL is `PRAGMA secure_delete`.
public enum SecureDeleteMode: Hashable, Sendable, CaseIterable {
  /// It stays in the file until its place is needed.
  case off
  /// It is overwritten.
  case on
  /// It is overwritten where that takes no more input and output.
  case fast
}

/// The locking mode of a connection.
///
/// The corresponding SQL is `PRAGMA locking_mode`.
public enum LockingMode: Hashable, Sendable, CaseIterable {
  /// After each transaction.
  case normal
  /// Not before it closes.
  case exclusive
}

/// How text is stored.
///
/// The corresponding SQL is `PRAGMA encoding`.
public enum TextEncoding: Hashable, Sendable, CaseIterable {
  case utf8
  case utf16LittleEndian
  case utf16BigEndian
}

/// Where temporary tables are.
///
/// The corresponding SQL is `PRAGMA temp_store`.
public enum TemporaryStorage: Hashable, Sendable, CaseIterable {
  /// Where the linked SQLite puts them if it is not told.
  case standard
  /// In a file.
  case file
  /// In memory.
  case memory
}

/// How much of a database is kept in memory.
///
/// The corresponding SQL is `PRAGMA cache_size`.
public enum CacheSize: Hashable, Sendable {
  /// So many pages.
  case pages(Int)
  /// As many pages as have so many times 1,024 bytes.
  case kibibytes(Int)
}

extension CacheSize {
  /// SQLite has pages as positive numbers, and kibibytes as negative ones.
  init(number: Int64) {
    self = number < 0 ? .kibibytes(Int(clamping: -Int64(clamping: number))) : .pages(Int(number))
  }

  var number: Int64 {
    get throws {
      let (count, sign): (Int, Int64) =
        switch self {
        case .pages(let count): (count, 1)
        case .kibibytes(let count): (count, -1)
        }
      return try sign * PragmaForm<Int>.checked(Int64(count), 0...Int64(Int32.max))
    }
  }
}
