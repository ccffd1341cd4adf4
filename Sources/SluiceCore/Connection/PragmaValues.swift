/// A synchronous mode: how often SQLite waits for data to reach the disk.
///
/// The corresponding SQL is `PRAGMA synchronous`.
public enum SynchronousMode: Hashable, Sendable, CaseIterable {
  /// SQLite never waits: a power failure can damage the database.
  case off
  /// SQLite waits at the most critical moments.
  ///
  /// With a WAL, a power failure can undo the latest commits. Without a WAL, a power failure can damage the database
  /// on an old file system.
  case normal
  /// SQLite waits in each transaction.
  case full
  /// Like ``full``, but SQLite also waits until the folder on disk records the deletion of the journal.
  case extra
}

/// An auto-vacuum mode: how unused pages are handled.
///
/// The corresponding SQL is `PRAGMA auto_vacuum`.
public enum AutoVacuumMode: Hashable, Sendable, CaseIterable {
  /// Unused pages remain in the file and are reused later.
  case none
  /// Each transaction removes unused pages, which makes the file shorter.
  case full
  /// Unused pages remain in the file until ``Connection/incrementalVacuum(pages:database:)`` removes them.
  case incremental
}

/// A secure-delete mode: how deleted content is handled.
///
/// The corresponding SQL is `PRAGMA secure_delete`.
public enum SecureDeleteMode: Hashable, Sendable, CaseIterable {
  /// Deleted content remains in the file until its space is reused.
  case off
  /// Deleted content is overwritten.
  case on
  /// Deleted content is overwritten where this requires no additional I/O.
  case fast
}

/// A locking mode: when a connection releases its locks.
///
/// The corresponding SQL is `PRAGMA locking_mode`.
public enum LockingMode: Hashable, Sendable, CaseIterable {
  /// The connection releases its locks after each transaction.
  case normal
  /// The connection keeps its locks until it closes.
  case exclusive
}

/// A text encoding: how a database stores text.
///
/// The corresponding SQL is `PRAGMA encoding`.
public enum TextEncoding: Hashable, Sendable, CaseIterable {
  case utf8
  case utf16LittleEndian
  case utf16BigEndian
}

/// The location of temporary tables.
///
/// The corresponding SQL is `PRAGMA temp_store`.
public enum TemporaryStorage: Hashable, Sendable, CaseIterable {
  /// Temporary tables are stored at the default location of the linked SQLite.
  case standard
  /// Temporary tables are stored in a file.
  case file
  /// Temporary tables are stored in memory.
  case memory
}

/// The size of a page cache, which limits how much of a database is kept in memory.
///
/// The corresponding SQL is `PRAGMA cache_size`.
public enum CacheSize: Hashable, Sendable {
  /// The size as a number of pages.
  case pages(Int)
  /// The size in units of 1,024 bytes, from which SQLite computes the number of pages.
  case kibibytes(Int)
}

extension CacheSize {
  /// Creates a size from SQLite's number: a negative number means kibibytes, any other number means pages.
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
