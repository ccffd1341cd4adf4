import CSluice

/// A recorder of row changes, which can later be applied to other databases.
///
/// ```swift
/// let session = try connection.session()
/// try connection.execute(sql: "UPDATE person SET name = 'Ada' WHERE id = 1")
/// let changeset = try session.changeset()
/// ```
///
/// Create a session with ``Connection/session(schema:options:)``. A session records tables that have a declared
/// primary key, but no rows whose key contains NULL. For each changed row, it stores the state before the first
/// change; a changeset compares that state with the current state. A changeset therefore contains no changes that
/// were reverted or rolled back. Creating a changeset does not end the session.
///
/// SQLite treats one row as two if a key column is declared `REAL` and contains a whole number, or if text in the
/// key changes to text that the collation considers equal.
///
/// SQLite before 3.47 records NULL as the old value of a column that was added after the row was written. Where the
/// column is `NOT NULL`, a changeset has the default in its place. Where it is not, and a row that lacks the column
/// exists, starting to record the table throws ``ResultCode/schema``: first write all rows anew, with
/// `UPDATE t SET added = added`. If such a column may have been added since the session began, creating a changeset with a
/// NULL of this column throws ``ResultCode/schema``. Tables `WITHOUT ROWID` are not checked, and neither are rows that
/// `INSERT INTO … SELECT` copies as they are from a table with the same columns.
///
/// A session belongs to its connection, and only the thread or task that uses the connection can use the session.
/// A session records until it is closed or released. It keeps its connection open until ``Connection/close()`` is
/// called; after that call, using the session throws ``ResultCode/misuse``.
///
/// The corresponding C type is `sqlite3_session`.
@safe public final class Session {
  /// The connection whose changes are recorded.
  public let connection: Connection
  /// The database whose tables are recorded: `main`, `temp`, or an attached database.
  public let schema: String
  /// The options of the session.
  public let options: Options
  private let recorder: Recorder
  /// The version of the schema whose rows were checked; nil if SQLite records the defaults of added columns.
  private let checkedVersion: Int64?

  init(
    _ connection: Connection, _ schema: String, _ options: Options,
    filter: ((String) -> Bool)? = nil
  ) throws {
    self.connection = connection
    self.schema = schema
    self.options = options
    checkedVersion = try connection.cleaningUp {
      try unsafe AddedColumns(of: schema, connection.handle())?.version()
    }
    recorder = try Recorder(connection, schema, options)
    if let filter { recorder.filter(filter, connection.state) }
  }

  deinit {
    let state = connection.state
    // While a hook runs, SQLite may be iterating over the sessions, so this session must end later.
    guard !state.isMidway else { return state.release(Box(recorder, state)) }
    recorder.end()
    state.settle()
  }
}

@available(*, unavailable)
extension Session: Sendable {}

extension Session {
  /// Options for creating a session.
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The session tracks the maximum size of a changeset, which ``Session/changesetSize`` returns.
    ///
    /// The corresponding C value is `SQLITE_SESSION_OBJCONFIG_SIZE`.
    public static let changesetSize = Options(rawValue: 1 << 1)
    /// The session also records tables without a declared primary key, identified by rowid.
    ///
    /// The rowid becomes the first column. Throws ``ResultCode/notFound`` if SQLite is older than 3.41.
    ///
    /// The corresponding C value is `SQLITE_SESSION_OBJCONFIG_ROWID`.
    public static let rowidTables = Options(rawValue: 1 << 2)
  }

  /// A format of recorded changes: ``Session/ChangesetFormat`` or ``Session/PatchsetFormat``.
  public protocol Format: SendableMetatype {
    /// Whether the format omits the old values of rows.
    static var isPatchset: Bool { get }
  }

  /// The format of a ``Changeset``.
  ///
  /// Each change contains the old values of the columns that it changes. Changes can therefore be undone, and
  /// applying them detects whether others have changed a row.
  public enum ChangesetFormat: Format {
    public static var isPatchset: Bool { false }
  }

  /// The format of a ``Patchset``.
  ///
  /// Each change contains only the new values and the key of its row, which takes less space.
  public enum PatchsetFormat: Format {
    public static var isPatchset: Bool { true }
  }
}

extension Session {
  /// Starts recording the changes to a table, unless the session already records them.
  ///
  /// A table that does not exist yet is recorded as soon as it exists.
  ///
  /// - Throws: ``ResultCode/schema`` if SQLite would record NULL for columns that rows lack, as ``Session`` explains.
  ///
  /// The corresponding C function is `sqlite3session_attach`.
  public func attach(_ table: String) throws {
    try refuseNUL(in: table, "The name of the table")
    let handle = try unsafe changeableHandle()
    try connection.refuseRowsWithoutColumns(in: schema, table)
    try check(unsafe sluice_session_attach(handle, table))
  }

  /// Whether the session is recording changes.
  ///
  /// The corresponding C function is `sqlite3session_enable`.
  public var isEnabled: Bool {
    get throws { unsafe sluice_session_enable(try handle(), -1) != 0 }
  }

  /// Turns recording on or off.
  ///
  /// Changes that are made while recording is off can appear in a changeset: if a row was recorded earlier, the
  /// changeset compares the row's state before the first recorded change with the row's current state.
  ///
  /// The corresponding C function is `sqlite3session_enable`.
  public func setEnabled(_ isEnabled: Bool) throws {
    _ = unsafe sluice_session_enable(try changeableHandle(), isEnabled ? 1 : 0)
  }

  /// Whether the session marks all changes as indirect, even those that SQL statements make directly.
  ///
  /// The corresponding C function is `sqlite3session_indirect`.
  public var isIndirect: Bool {
    get throws { unsafe sluice_session_indirect(try handle(), -1) != 0 }
  }

  /// Sets whether all changes are marked as indirect, or only those of triggers and foreign keys.
  ///
  /// The corresponding C function is `sqlite3session_indirect`.
  public func setIndirect(_ isIndirect: Bool) throws {
    _ = unsafe sluice_session_indirect(try changeableHandle(), isIndirect ? 1 : 0)
  }

  /// Whether nothing has been recorded.
  ///
  /// Even if something has been recorded, a changeset can be empty, because changes may have been reverted.
  ///
  /// The corresponding C function is `sqlite3session_isempty`.
  public var isEmpty: Bool {
    get throws { unsafe sluice_session_isempty(try handle()) != 0 }
  }

  /// The number of bytes of memory that the session uses.
  ///
  /// The corresponding C function is `sqlite3session_memory_used`.
  public var memoryUsed: Int {
    get throws { Int(clamping: unsafe sluice_session_memory_used(try handle())) }
  }

  /// The maximum size of a changeset created now, in bytes; nil without ``Session/Options/changesetSize``.
  ///
  /// The corresponding C function is `sqlite3session_changeset_size`.
  public var changesetSize: Int? {
    get throws {
      let handle = try unsafe handle()
      guard options.contains(.changesetSize) else { return nil }
      return Int(clamping: unsafe sluice_session_changeset_size(handle))
    }
  }

  /// Stops recording, and discards the recorded changes.
  ///
  /// Any later use of the session throws ``ResultCode/misuse``.
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
  /// Returns the handle of the session, for calls that do not change the session.
  func handle() throws -> OpaquePointer {
    _ = try unsafe connection.handle()
    guard let handle = unsafe recorder.handle else {
      throw SQLiteError(.misuse, "The session is closed")
    }
    return unsafe handle
  }

  /// Returns the handle of the session, or throws if SQLite is in the middle of an operation.
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
  /// Throws ``ResultCode/schema`` if the columns of a recorded table have changed in the meantime, or if the
  /// table has generated columns, which SQLite 3.40 cannot record. Throws ``ResultCode/range`` if the database
  /// has been detached.
  ///
  /// The corresponding C function is `sqlite3session_changeset`.
  public func changeset() throws -> Changeset {
    let bytes = try unsafe bytes { unsafe sluice_session_changeset($0, $1, $2) }
    var check = try check()
    guard check.isRewriting else { return Changeset(written: bytes) }
    try connection.state.cleaningUp { try check.feed(bytes) }
    return Changeset(written: check.kept)
  }

  /// Returns the changes since the session began, without old values.
  ///
  /// The corresponding C function is `sqlite3session_patchset`.
  public func patchset() throws -> Patchset {
    Patchset(written: try unsafe bytes { unsafe sluice_session_patchset($0, $1, $2) })
  }

  /// Writes to `output`, in chunks, the changes that ``changeset()`` would return.
  ///
  /// `output` cannot use the connection: SQLite is reading the recorded changes, so executing a statement throws
  /// ``ResultCode/misuse``. An error that `output` throws is rethrown.
  ///
  /// The corresponding C function is `sqlite3session_changeset_strm`.
  public func changeset(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    var check = try check()
    let state = connection.state
    let rewritten = { (chunk: [UInt8]) in
      guard check.isRewriting else { return try output(chunk) }
      try state.cleaningUp { try check.feed(chunk) }
      if !check.kept.isEmpty { try output(check.kept) }
    }
    try unsafe write(to: rewritten) {
      unsafe sluice_session_changeset_strm($0, ChangesOutput.write, $1)
    }
  }

  /// Writes to `output`, in chunks, the changes that ``patchset()`` would return.
  ///
  /// Apart from the format, this method behaves like ``changeset(to:)``.
  ///
  /// The corresponding C function is `sqlite3session_patchset_strm`.
  public func patchset(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    try unsafe write(to: output) {
      unsafe sluice_session_patchset_strm($0, ChangesOutput.write, $1)
    }
  }

  /// Records the changes that would make the table in another database equal to the table in the session's
  /// database.
  ///
  /// ```swift
  /// try connection.attach(path: "old.db", as: "old")
  /// let session = try connection.session(tables: [])
  /// try session.diff(from: "old", table: "person")
  /// let changeset = try session.changeset()  // turns the old table into the new one
  /// ```
  ///
  /// If the session does not record the table yet, it then starts to record the table. Throws
  /// ``ResultCode/schema`` unless both tables have the same columns and the same primary key. A table without a
  /// primary key shows no differences, and neither does a database compared with itself.
  ///
  /// The corresponding C function is `sqlite3session_diff`.
  public func diff(from schema: String, table: String) throws {
    try refuseNUL(in: schema, "The name of the database")
    let handle = try unsafe readyHandle()
    try attach(table)
    _ = try connection.transactionState(schema: schema)
    // For one and the same database, SQLite would join the table with itself, and column names would be ambiguous.
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

  /// Returns the handle of the session, and throws if the recorded database has been detached.
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

  /// Makes an SQLite call that reads the recorded changes, and rejects all other operations during the call.
  private func inSQLite(_ call: () -> Int32) -> Int32 {
    let state = connection.state
    let code = state.calling { state.within(.hook, call) }
    state.settle()
    return code
  }

  private func failure(_ code: Int32) -> any Error { connection.failure(code) }

  /// Returns a check of a changeset that replaces what SQLite has recorded wrongly.
  private func check() throws -> ChangesCheck {
    _ = try unsafe readyHandle()
    let added = try connection.state.cleaningUp {
      try unsafe AddedColumns(of: schema, connection.handle(), since: checkedVersion)
    }
    return ChangesCheck(.changeset, added: added)
  }
}
