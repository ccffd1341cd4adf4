/// A setting of a connection with all its databases, to be read and changed by its name.
///
/// ```swift
/// try connection.setPragma(.queryOnly, to: true)
/// ```
///
/// None of these is stored in the file but the encoding. See ``ConnectionOption`` for more.
///
/// The corresponding SQL is `PRAGMA`.
public struct ConnectionPragma<Value: Sendable>: Sendable {
  let form: PragmaForm<Value>
}

extension ConnectionPragma where Value == TextEncoding {
  /// How text is stored in the main database; it can be chosen until there are tables.
  ///
  /// What is attached has the same.
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
  /// Where temporary tables are, and what SQLite sorts.
  ///
  /// A change deletes all temporary tables, and throws in a transaction if there are some.
  ///
  /// The corresponding SQL is `PRAGMA temp_store`.
  public static var temporaryStorage: Self { Self(form: .numbered("temp_store")) }
}

extension ConnectionPragma where Value == Int {
  /// The rows of an index that `ANALYZE` looks at, about; 0 for all.
  ///
  /// The corresponding SQL is `PRAGMA analysis_limit`.
  public static var analysisLimit: Self {
    Self(form: .number("analysis_limit", in: 0...Int64(Int32.max)))
  }
}

extension ConnectionPragma where Value == Bool {
  /// Whether SQL can only read.
  ///
  /// The corresponding SQL is `PRAGMA query_only`.
  public static var queryOnly: Self { Self(form: .flag("query_only")) }

  /// Whether a trigger can call itself, and the rows that `REPLACE` deletes call triggers.
  ///
  /// The corresponding SQL is `PRAGMA recursive_triggers`.
  public static var recursiveTriggers: Self { Self(form: .flag("recursive_triggers")) }

  /// Whether foreign keys are looked at only when the open transaction ends, with which this ends as well.
  ///
  /// The corresponding SQL is `PRAGMA defer_foreign_keys`.
  public static var deferForeignKeys: Self { Self(form: .flag("defer_foreign_keys")) }

  /// Whether `CHECK` is left out.
  ///
  /// The corresponding SQL is `PRAGMA ignore_check_constraints`.
  public static var ignoreCheckConstraints: Self { Self(form: .flag("ignore_check_constraints")) }

  /// Whether SQLite looks at each page that it reads for signs of damage, which takes time.
  ///
  /// The corresponding SQL is `PRAGMA cell_size_check`.
  public static var cellSizeCheck: Self { Self(form: .flag("cell_size_check")) }

  /// Whether SQLite makes an index for one statement where that is worth while.
  ///
  /// The corresponding SQL is `PRAGMA automatic_index`.
  public static var automaticIndex: Self { Self(form: .flag("automatic_index")) }

  /// Whether connections with a shared cache see what others have not committed.
  ///
  /// The corresponding SQL is `PRAGMA read_uncommitted`.
  public static var readUncommitted: Self { Self(form: .flag("read_uncommitted")) }

  /// Whether a Mac waits until the disk itself has what was written.
  ///
  /// The corresponding SQL is `PRAGMA fullfsync`.
  public static var fullFsync: Self { Self(form: .flag("fullfsync")) }

  /// As ``fullFsync``, for checkpoints alone.
  ///
  /// The corresponding SQL is `PRAGMA checkpoint_fullfsync`.
  public static var checkpointFullFsync: Self { Self(form: .flag("checkpoint_fullfsync")) }
}
