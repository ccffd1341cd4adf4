/// A setting of one database, to be read and changed by its name.
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
  /// How transactions are made durable.
  ///
  /// A change waits for other connections, and one to or from a WAL cannot be made in a transaction.
  ///
  /// The corresponding SQL is `PRAGMA journal_mode`.
  public static var journalMode: Self {
    Self(form: .named("journal_mode", Value.allCases.map { ($0, $0.rawValue) }))
  }
}

extension DatabasePragma where Value == SynchronousMode {
  /// How often SQLite waits until the disk has what was written.
  ///
  /// It cannot be changed in a transaction, and is forgotten when the connection closes.
  ///
  /// The corresponding SQL is `PRAGMA synchronous`.
  public static var synchronous: Self { Self(form: .numbered("synchronous")) }
}

extension DatabasePragma where Value == AutoVacuumMode {
  /// The treatment of pages that are not needed any more.
  ///
  /// Once there are tables, it takes ``Connection/vacuum(database:pageSize:autoVacuum:)`` to change it from or to
  /// none.
  ///
  /// The corresponding SQL is `PRAGMA auto_vacuum`.
  public static var autoVacuum: Self { Self(form: .numbered("auto_vacuum")) }
}

extension DatabasePragma where Value == SecureDeleteMode {
  /// The treatment of deleted content, which can be overwritten with zeros.
  ///
  /// It is forgotten when the connection closes.
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
  /// The locking mode, which decides whether the connection releases its locks after each transaction.
  ///
  /// It is forgotten when the connection closes, and is always exclusive for what no other connection can open.
  ///
  /// The corresponding SQL is `PRAGMA locking_mode`.
  public static var lockingMode: Self {
    Self(form: .named("locking_mode", [(.normal, "normal"), (.exclusive, "exclusive")]))
  }
}

extension DatabasePragma where Value == CacheSize {
  /// How much of the database is kept in memory.
  ///
  /// It is forgotten when the connection closes.
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
  /// The bytes of a page, a power of two from 512 to 65,536.
  ///
  /// Once there are tables, it takes ``Connection/vacuum(database:pageSize:autoVacuum:)`` to change it.
  ///
  /// The corresponding SQL is `PRAGMA page_size`.
  public static var pageSize: Self { Self(form: .number("page_size", in: 512...65_536)) }

  /// The pages that the database can grow to, from 1 on; it cannot be fewer than there are.
  ///
  /// It is forgotten when the connection closes.
  ///
  /// The corresponding SQL is `PRAGMA max_page_count`.
  public static var maxPageCount: Self {
    Self(form: .number("max_page_count", in: 1...4_294_967_294))
  }

  /// The bytes of the file that are read without a copy, 0 for none.
  ///
  /// It is forgotten when the connection closes.
  ///
  /// An error of the disk then ends the process, as does a file that another one makes shorter.
  ///
  /// The corresponding SQL is `PRAGMA mmap_size`.
  public static var mmapSize: Self {
    // A database that has no file has no answer, either.
    Self(form: .number("mmap_size", in: 0...Int64.max, missing: 0))
  }
}

extension DatabasePragma where Value == Int? {
  /// The bytes that a journal or WAL has at most after a transaction, or nil if it stays as long as it is.
  ///
  /// It is forgotten when the connection closes.
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
