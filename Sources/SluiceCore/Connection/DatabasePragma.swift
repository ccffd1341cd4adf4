/// A pragma that reads and changes a setting of a single database.
///
/// ```swift
/// try connection.setPragma(.journalMode, to: .wal)
/// try connection.setPragma(.cacheSize, to: .kibibytes(8_000), database: "archive")
/// print(try connection.pragma(.synchronous))
/// ```
///
/// The corresponding SQL is `PRAGMA`.
public struct DatabasePragma<Value: Sendable>: Sendable {
  let form: PragmaForm<Value>
}

extension DatabasePragma where Value == Configuration.JournalMode {
  /// The journal mode, which determines how transactions become durable.
  ///
  /// A change waits for the locks of other connections. Inside a transaction, the mode cannot change to or from a
  /// WAL.
  ///
  /// The corresponding SQL is `PRAGMA journal_mode`.
  public static var journalMode: Self {
    Self(form: .named("journal_mode", Value.allCases.map { ($0, $0.rawValue) }))
  }
}

extension DatabasePragma where Value == SynchronousMode {
  /// The synchronous mode, which determines how often SQLite waits for data to reach the disk.
  ///
  /// The mode cannot change inside a transaction, and lasts until the connection closes.
  ///
  /// The corresponding SQL is `PRAGMA synchronous`.
  public static var synchronous: Self { Self(form: .numbered("synchronous")) }
}

extension DatabasePragma where Value == AutoVacuumMode {
  /// The auto-vacuum mode, which determines how unused pages are handled.
  ///
  /// Once the database has tables, a change from or to ``AutoVacuumMode/none`` requires
  /// ``Connection/vacuum(database:pageSize:autoVacuum:)``.
  ///
  /// The corresponding SQL is `PRAGMA auto_vacuum`.
  public static var autoVacuum: Self { Self(form: .numbered("auto_vacuum")) }
}

extension DatabasePragma where Value == SecureDeleteMode {
  /// The secure-delete mode, which determines whether deleted content is overwritten with zeros.
  ///
  /// The mode lasts until the connection closes. It does not cover the index of an FTS5 table, which keeps deleted words
  /// until its pages are merged, unless the table has the option `secure-delete` of SQLite 3.42. Before version 3.44.2,
  /// that option can damage the index.
  ///
  /// The corresponding SQL is `PRAGMA secure_delete`.
  public static var secureDelete: Self {
    Self(
      form: PragmaForm(
        name: "secure_delete", read: { $0.integer.flatMap { Value.allCases.element(at: $0) } },
        write: { $0 == .fast ? "fast" : $0 == .on ? "1" : "0" }))
  }
}

extension DatabasePragma where Value == LockingMode {
  /// The locking mode, which determines whether the connection releases its locks after each transaction.
  ///
  /// The mode lasts until the connection closes. A database that no other connection can open is always in the
  /// exclusive mode.
  ///
  /// The corresponding SQL is `PRAGMA locking_mode`.
  public static var lockingMode: Self {
    Self(form: .named("locking_mode", [(.normal, "normal"), (.exclusive, "exclusive")]))
  }
}

extension DatabasePragma where Value == CacheSize {
  /// The size of the page cache, which limits how much of the database is kept in memory.
  ///
  /// The size lasts until the connection closes.
  ///
  /// The corresponding SQL is `PRAGMA cache_size`.
  public static var cacheSize: Self {
    Self(
      form: PragmaForm(
        name: "cache_size", read: { $0.integer.map(CacheSize.init(number:)) },
        write: { String(try $0.number) }))
  }
}

extension DatabasePragma where Value == Int {
  /// The page size in bytes, a power of two from 512 to 65,536.
  ///
  /// Once the database has tables, a change requires ``Connection/vacuum(database:pageSize:autoVacuum:)``.
  ///
  /// The corresponding SQL is `PRAGMA page_size`.
  public static var pageSize: Self { Self(form: .number("page_size", in: 512...65_536)) }

  /// The maximum number of pages in the database, at least 1.
  ///
  /// The maximum cannot be lower than the current number of pages. It lasts until the connection closes.
  ///
  /// The corresponding SQL is `PRAGMA max_page_count`.
  public static var maxPageCount: Self {
    Self(form: .number("max_page_count", in: 1...4_294_967_294))
  }

  /// The maximum number of bytes of the file to map into memory; 0 disables memory mapping.
  ///
  /// The maximum lasts until the connection closes.
  ///
  /// With memory mapping, a disk error terminates the process, as does another process that truncates the file.
  ///
  /// The corresponding SQL is `PRAGMA mmap_size`.
  public static var mmapSize: Self {
    // For a database without a file, the pragma returns no row, which means 0.
    Self(form: .number("mmap_size", in: 0...Int64.max, missing: 0))
  }
}

extension DatabasePragma where Value == Int? {
  /// The maximum size of a journal or WAL after a transaction, in bytes; nil means no limit.
  ///
  /// The limit lasts until the connection closes.
  ///
  /// The corresponding SQL is `PRAGMA journal_size_limit`.
  public static var journalSizeLimit: Self {
    Self(
      form: PragmaForm(
        name: "journal_size_limit",
        read: { value in value.integer.map { $0 < 0 ? nil : Int(clamping: $0) } },
        write: { bytes in
          guard let bytes else { return "-1" }
          return String(try PragmaForm<Int>.checked(Int64(bytes), 0...Int64.max))
        }))
  }
}
