import CSluice

/// Records what happens to the rows of tables, to be applied to other databases.
///
/// ```swift
/// let session = try connection.session()
/// try connection.execute(sql: "UPDATE person SET name = 'Ada' WHERE id = 1")
/// let changeset = try session.changeset()
/// ```
///
/// ``Connection/session(schema:options:)`` makes one. It records tables that have a declared primary key,
/// and of these the rows in whose key there is no NULL. It remembers the first state of each row that
/// changes; a changeset compares that to the state of the moment. So what was changed and changed back is
/// not in it, nor what was rolled back, and to ask for a changeset ends nothing.
///
/// SQLite mistakes a row for two if its key has a column that is declared `REAL` with a whole number in it, or
/// if text in its key is changed to what its collation holds to be the same. In a column that was added to the
/// table after the row was written, SQLite 3.40 records NULL as the old value, whatever the default.
///
/// It belongs to its connection, and is used where that is used. It records until it is closed or nothing
/// refers to it. It keeps the connection open, unless ``Connection/close()`` is called: from then on it
/// throws ``ResultCode/misuse``.
///
/// The corresponding C type is `sqlite3_session`.
@safe public final class Session {
  /// The connection whose changes are recorded.
  public let connection: Connection
  /// The database whose tables are recorded: `main`, `temp`, or one that was attached.
  public let schema: String
  /// What was asked for when the session was made.
  public let options: Options
  private let recorder: Recorder

  init(
    _ connection: Connection, _ schema: String, _ options: Options,
    filter: ((String) -> Bool)? = nil
  ) throws {
    self.connection = connection
    self.schema = schema
    self.options = options
    recorder = try Recorder(connection, schema, options)
    if let filter { recorder.filter(filter, connection.state) }
  }

  deinit {
    let state = connection.state
    // In the middle of a hook, SQLite goes through the sessions.
    guard !state.isMidway else { return state.release(Box(recorder, state)) }
    recorder.end()
    state.drainOutside()
  }
}

@available(*, unavailable)
extension Session: Sendable {}

extension Session {
  /// Options that a session is made with.
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// How large a changeset can become is counted: ``Session/changesetSize``.
    ///
    /// The corresponding C value is `SQLITE_SESSION_OBJCONFIG_SIZE`.
    public static let changesetSize = Options(rawValue: 1 << 1)
    /// Tables without a declared primary key are recorded as well, by their rowid, which becomes their
    /// first column.
    ///
    /// It throws ``ResultCode/notFound`` where SQLite is older than 3.41.
    ///
    /// The corresponding C value is `SQLITE_SESSION_OBJCONFIG_ROWID`.
    public static let rowidTables = Options(rawValue: 1 << 2)
  }

  /// The form in which changes are recorded: ``Session/ChangesetFormat`` or ``Session/PatchsetFormat``.
  public protocol Format: SendableMetatype {
    /// Whether the old values of rows are left out.
    static var isPatchset: Bool { get }
  }

  /// The form of a ``Changeset``.
  ///
  /// Each change has the old values of what it changes, so that it can be undone, and rows that others
  /// have changed are noticed.
  public enum ChangesetFormat: Format {
    public static var isPatchset: Bool { false }
  }

  /// The form of a ``Patchset``.
  ///
  /// Each change has new values and the key of its row, which takes less space.
  public enum PatchsetFormat: Format {
    public static var isPatchset: Bool { true }
  }
}

extension Session {
  /// Records the changes of a table from now on, if it does not do so yet.
  ///
  /// One that does not exist yet is recorded when it does.
  ///
  /// The corresponding C function is `sqlite3session_attach`.
  public func attach(_ table: String) throws {
    try refuseNUL(in: table, "The name of the table")
    let handle = try unsafe changeableHandle()
    try check(unsafe sluice_session_attach(handle, table))
  }

  /// Whether changes are being recorded.
  ///
  /// The corresponding C function is `sqlite3session_enable`.
  public var isEnabled: Bool {
    get throws { unsafe sluice_session_enable(try handle(), -1) != 0 }
  }

  /// Lets changes be recorded, or not.
  ///
  /// What is changed meanwhile shows all the same in rows that have been recorded before, as a changeset
  /// compares their first state to the last.
  ///
  /// The corresponding C function is `sqlite3session_enable`.
  public func setEnabled(_ isEnabled: Bool) throws {
    _ = unsafe sluice_session_enable(try changeableHandle(), isEnabled ? 1 : 0)
  }

  /// Whether changes are recorded as indirect, whatever made them.
  ///
  /// The corresponding C function is `sqlite3session_indirect`.
  public var isIndirect: Bool {
    get throws { unsafe sluice_session_indirect(try handle(), -1) != 0 }
  }

  /// Lets changes be recorded as indirect, whatever makes them; or only those of triggers and of
  /// foreign keys.
  ///
  /// The corresponding C function is `sqlite3session_indirect`.
  public func setIndirect(_ isIndirect: Bool) throws {
    _ = unsafe sluice_session_indirect(try changeableHandle(), isIndirect ? 1 : 0)
  }

  /// Whether nothing has been recorded.
  ///
  /// If something has, a changeset can be empty all the same: what was changed may have been changed back.
  ///
  /// The corresponding C function is `sqlite3session_isempty`.
  public var isEmpty: Bool {
    get throws { unsafe sluice_session_isempty(try handle()) != 0 }
  }

  /// How many bytes of memory the session takes.
  ///
  /// The corresponding C function is `sqlite3session_memory_used`.
  public var memoryUsed: Int {
    get throws { Int(clamping: unsafe sluice_session_memory_used(try handle())) }
  }

  /// The most bytes that a changeset could have now; nil without ``Session/Options/changesetSize``.
  ///
  /// The corresponding C function is `sqlite3session_changeset_size`.
  public var changesetSize: Int? {
    get throws {
      let handle = try unsafe handle()
      guard options.contains(.changesetSize) else { return nil }
      return Int(clamping: unsafe sluice_session_changeset_size(handle))
    }
  }

  /// Ends the recording, and forgets what was recorded; every other use throws ``ResultCode/misuse`` then.
  ///
  /// The corresponding C function is `sqlite3session_delete`.
  public func close() throws {
    try connection.state.refuseStrangers()
    try connection.state.require(.use)
    recorder.end()
    connection.state.drainOutside()
  }
}

extension Session {
  /// The handle of the session, to ask it what changes nothing.
  func handle() throws -> OpaquePointer {
    _ = try unsafe connection.handle()
    guard let handle = unsafe recorder.handle else {
      throw SQLiteError(.misuse, "The session is closed")
    }
    return unsafe handle
  }

  /// The handle of the session, unless SQLite is in the middle of something.
  func changeableHandle() throws -> OpaquePointer {
    let handle = try unsafe handle()
    try connection.refuseStatements()
    return unsafe handle
  }

  func check(_ code: Int32) throws { try connection.check(code) }
}
