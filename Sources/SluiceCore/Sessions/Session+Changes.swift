import CSluice

extension Session {
  /// What has changed since the session began, with old values.
  ///
  /// It throws ``ResultCode/schema`` if a recorded table has got other columns since, or has columns that
  /// are generated, which SQLite 3.40 cannot record. It throws ``ResultCode/range`` if the database has been
  /// detached.
  ///
  /// The corresponding C function is `sqlite3session_changeset`.
  public func changeset() throws -> Changeset {
    Changeset(written: try unsafe bytes { unsafe sluice_session_changeset($0, $1, $2) })
  }

  /// What has changed since the session began, without old values.
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
    state.drainOutside()
    return code
  }

  private func failure(_ code: Int32) -> any Error { connection.failure(code) }
}
