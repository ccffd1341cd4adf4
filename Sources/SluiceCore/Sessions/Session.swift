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
  /// The options of the session.
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
    state.settle()
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
    connection.state.settle()
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
  private func changeableHandle() throws -> OpaquePointer {
    let handle = try unsafe handle()
    try connection.refuseStatements()
    return unsafe handle
  }

  func check(_ code: Int32) throws { try connection.check(code) }
}

extension Session {
  /// Returns the changes since the session began, with old values.
  ///
  /// It throws ``ResultCode/schema`` if a recorded table has got other columns since, or has columns that
  /// are generated, which SQLite 3.40 cannot record. It throws ``ResultCode/range`` if the database has been
  /// detached.
  ///
  /// The corresponding C function is `sqlite3session_changeset`.
  public func changeset() throws -> Changeset {
    Changeset(written: try unsafe bytes { unsafe sluice_session_changeset($0, $1, $2) })
  }

  /// Returns the changes since the session began, without old values.
  ///
  /// The corresponding C function is `sqlite3session_patchset`.
  public func patchset() throws -> Patchset {
    Patchset(written: try unsafe bytes { unsafe sluice_session_patchset($0, $1, $2) })
  }

  /// Writes what ``changeset()`` would return to `output`, in chunks.
  ///
  /// `output` cannot use the connection: SQLite is in the middle of reading what was recorded, so
  /// statements throw ``ResultCode/misuse``. What `output` throws is thrown here.
  ///
  /// The corresponding C function is `sqlite3session_changeset_strm`.
  public func changeset(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    try unsafe write(to: output) {
      unsafe sluice_session_changeset_strm($0, ChangesOutput.write, $1)
    }
  }

  /// Writes what ``patchset()`` would return to `output`, in chunks, as ``changeset(to:)`` does.
  ///
  /// The corresponding C function is `sqlite3session_patchset_strm`.
  public func patchset(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    try unsafe write(to: output) {
      unsafe sluice_session_patchset_strm($0, ChangesOutput.write, $1)
    }
  }

  /// Records what would have to change in the table of another database to make it like that of the
  /// session.
  ///
  /// ```swift
  /// try connection.attach(path: "old.db", as: "old")
  /// let session = try connection.session(tables: [])
  /// try session.diff(from: "old", table: "person")
  /// let changeset = try session.changeset()  // what makes the old table like the new one
  /// ```
  ///
  /// The table is recorded from then on, if it was not before. Both need the same columns and the same
  /// primary key: otherwise it throws ``ResultCode/schema``. Without a key there is no difference to be found,
  /// nor between a database and itself.
  ///
  /// The corresponding C function is `sqlite3session_diff`.
  public func diff(from schema: String, table: String) throws {
    try refuseNUL(in: schema, "The name of the database")
    let handle = try unsafe readyHandle()
    try attach(table)
    _ = try connection.transactionState(schema: schema)
    // SQLite would join the table with itself, and not know which of the two a column belongs to.
    guard schema.lowercased() != self.schema.lowercased() else { return }
    var message: UnsafeMutablePointer<CChar>?
    defer { unsafe sqlite3_free(message) }
    let code = inSQLite { unsafe sluice_session_diff(handle, schema, table, &message) }
    guard code != SQLITE_OK else { return }
    let error = failure(code)
    guard let reported = error as? SQLiteError, let message = unsafe message else { throw error }
    throw SQLiteError(
      reported.code, "\(unsafe String(cString: message)): \(table) in \(schema) and \(self.schema)")
  }

  /// The handle of the session, if there is a database to compare what was recorded with.
  private func readyHandle() throws -> OpaquePointer {
    let handle = try unsafe changeableHandle()
    do { _ = try connection.transactionState(schema: schema) } catch {
      throw SQLiteError(
        .range, "The database \"\(schema)\", whose changes were recorded, has been detached")
    }
    return unsafe handle
  }

  private func bytes(
    _ call: (
      OpaquePointer, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32
  ) throws -> [UInt8] {
    let handle = try unsafe readyHandle()
    return try unsafe SessionModule.bytes { count, bytes in
      let code = inSQLite { unsafe call(handle, count, bytes) }
      if code != SQLITE_OK { throw failure(code) }
    }
  }

  private func write(
    to output: ([UInt8]) throws -> Void,
    _ call: (OpaquePointer, UnsafeMutableRawPointer) -> Int32
  ) throws {
    let handle = try unsafe readyHandle()
    try unsafe withOutput(output, failing: failure) { output in
      inSQLite { unsafe call(handle, output) }
    }
  }

  /// Makes a call of SQLite's in which nothing else can be done: it goes through what was recorded.
  private func inSQLite(_ call: () -> Int32) -> Int32 {
    let state = connection.state
    let code = state.calling { state.within(.hook, call) }
    state.settle()
    return code
  }

  private func failure(_ code: Int32) -> any Error { connection.failure(code) }
}

extension Connection {
  /// Records the changes of all tables of a database from now on, also of those that it gets later.
  ///
  /// A connection has any number of sessions. It throws ``ResultCode/misuse`` while the connection has a
  /// pre-update hook, as SQLite has room for one or the other; C code that uses this connection must not
  /// have set one. It throws ``ResultCode/notFound`` without ``SQLiteCapability/sessions``, and
  /// ``ResultCode/range`` for a `schema` that there is not.
  ///
  /// The corresponding C function is `sqlite3session_create`.
  public func session(schema: String = "main", options: Session.Options = []) throws -> Session {
    try session(schema: schema, options: options) { _ in true }
  }

  /// Records the changes of some tables from now on, and of what ``Session/attach(_:)`` adds.
  public func session(
    tables: [String], schema: String = "main", options: Session.Options = []
  ) throws -> Session {
    try requireSession(schema)
    let session = try Session(self, schema, options)
    for table in tables { try session.attach(table) }
    return session
  }

  /// Records the changes of those tables that `isIncluded` is true for.
  ///
  /// ```swift
  /// let session = try connection.session { table in table != "log" }
  /// ```
  ///
  /// It is asked once for each table, in the middle of the statement that changes a row of it first, so it
  /// can do nothing with the connection: statements throw ``ResultCode/misuse``. The session keeps it, so
  /// if it refers to the session, neither is released before ``Session/close()``.
  ///
  /// The corresponding C function is `sqlite3session_table_filter`.
  public func session(
    schema: String = "main", options: Session.Options = [],
    where isIncluded: @escaping (_ table: String) -> Bool
  ) throws -> Session {
    try requireSession(schema)
    return try Session(self, schema, options, filter: isIncluded)
  }

  private func requireSession(_ schema: String) throws {
    _ = try unsafe handle()
    try SessionModule.enter()
    try refuseStatements()
    // A cancelled observer gives its hook back.
    settleHooks()
    _ = try transactionState(schema: schema)
    guard state.preUpdateUser != .hooks else {
      throw SQLiteError(
        .misuse, "The connection has a pre-update hook, which a session would replace")
    }
  }
}
