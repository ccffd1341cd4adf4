/// A pragma that reads and changes a setting of a connection and all its databases.
///
/// ```swift
/// try connection.setPragma(.queryOnly, to: true)
/// ```
///
/// Only the encoding is stored in the file. ``ConnectionOption`` defines further settings.
///
/// The corresponding SQL is `PRAGMA`.
public struct ConnectionPragma<Value: Sendable>: Sendable {
  let form: PragmaForm<Value>
}

extension ConnectionPragma where Value == TextEncoding {
  /// The text encoding of the main database, which can change only until the database has tables.
  ///
  /// Attached databases have the same encoding.
  ///
  /// The corresponding SQL is `PRAGMA encoding`.
  public static var encoding: Self {
    Self(
      form: .named(
        "encoding",
        [(.utf8, "utf-8"), (.utf16LittleEndian, "utf-16le"), (.utf16BigEndian, "utf-16be")]))
  }
}

extension ConnectionPragma where Value == TemporaryStorage {
  /// The location of temporary tables, and of data that SQLite sorts.
  ///
  /// A change deletes all temporary tables, and throws inside a transaction if there are any.
  ///
  /// The corresponding SQL is `PRAGMA temp_store`.
  public static var temporaryStorage: Self { Self(form: .numbered("temp_store")) }
}

extension ConnectionPragma where Value == Int {
  /// The approximate number of rows that `ANALYZE` reads from an index; 0 for all.
  ///
  /// The corresponding SQL is `PRAGMA analysis_limit`.
  public static var analysisLimit: Self {
    Self(form: .number("analysis_limit", in: 0...Int64(Int32.max)))
  }
}

extension ConnectionPragma where Value == Bool {
  /// Whether SQL statements can read but not write.
  ///
  /// The corresponding SQL is `PRAGMA query_only`.
  public static var queryOnly: Self { Self(form: .flag("query_only")) }

  /// Whether triggers can fire recursively, and whether rows that `REPLACE` deletes fire triggers.
  ///
  /// The corresponding SQL is `PRAGMA recursive_triggers`.
  public static var recursiveTriggers: Self { Self(form: .flag("recursive_triggers")) }

  /// Whether foreign keys are checked only at the end of the open transaction.
  ///
  /// The end of the transaction turns this setting off.
  ///
  /// The corresponding SQL is `PRAGMA defer_foreign_keys`.
  public static var deferForeignKeys: Self { Self(form: .flag("defer_foreign_keys")) }

  /// Whether `CHECK` constraints are ignored.
  ///
  /// The corresponding SQL is `PRAGMA ignore_check_constraints`.
  public static var ignoreCheckConstraints: Self { Self(form: .flag("ignore_check_constraints")) }

  /// Whether SQLite checks each page for damage when it reads the page, which takes time.
  ///
  /// The corresponding SQL is `PRAGMA cell_size_check`.
  public static var cellSizeCheck: Self { Self(form: .flag("cell_size_check")) }

  /// Whether SQLite creates an index for a single statement when this is worthwhile.
  ///
  /// The corresponding SQL is `PRAGMA automatic_index`.
  public static var automaticIndex: Self { Self(form: .flag("automatic_index")) }

  /// Whether a connection with a shared cache reads other connections' uncommitted changes.
  ///
  /// The corresponding SQL is `PRAGMA read_uncommitted`.
  public static var readUncommitted: Self { Self(form: .flag("read_uncommitted")) }

  /// Whether each sync on a Mac waits until the data has reached the disk itself.
  ///
  /// The corresponding SQL is `PRAGMA fullfsync`.
  public static var fullFsync: Self { Self(form: .flag("fullfsync")) }

  /// Like ``fullFsync``, but only for checkpoints.
  ///
  /// The corresponding SQL is `PRAGMA checkpoint_fullfsync`.
  public static var checkpointFullFsync: Self { Self(form: .flag("checkpoint_fullfsync")) }
}
