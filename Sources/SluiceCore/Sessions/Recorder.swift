import CSluice

/// An SQLite session, which ends when this object is released or its connection closes.
@safe final class Recorder: Dependent {
  private(set) var handle: OpaquePointer?
  /// The connection, unretained; nil once the session has ended, which happens before the connection is
  /// deallocated.
  private var owner: Unmanaged<Connection>?
  /// The context of the closure that selects the tables to record.
  private var filterBox: UnsafeMutableRawPointer?

  private struct Filter {
    let includes: (String) -> Bool
  }

  init(_ connection: Connection, _ schema: String, _ options: Session.Options) throws {
    unsafe owner = Unmanaged.passUnretained(connection)
    connection.dependents.add(self)
    var handle: OpaquePointer?
    try connection.check(
      unsafe sluice_session_create(connection.handle(), schema, &handle))
    unsafe self.handle = handle
    connection.state.watchers.preUpdates.user = .sessions
    for (option, number) in [(Session.Options.changesetSize, 1), (.rowidTables, 2)]
    where options.contains(option) {
      var value: Int32 = 1
      guard unsafe sluice_session_object_config(handle, Int32(number), &value) == SQLITE_OK else {
        throw SQLiteError(
          .notFound, "The linked SQLite \(SQLiteLibrary.version) is too old for these options")
      }
    }
    connection.recompileStatements()
  }

  deinit { end() }

  var writer: (any StandingWriter)? { nil }

  func end() {
    guard let connection = unsafe owner.take()?.takeUnretainedValue() else { return }
    connection.dependents.remove(ObjectIdentifier(self))
    if let handle = unsafe handle { unsafe sluice_session_delete(handle) }
    unsafe handle = nil
    if let filterBox = unsafe filterBox { unsafe releaseBox(filterBox) }
    unsafe filterBox = nil
    if !connection.dependents.all.contains(where: { $0 is Recorder }) {
      connection.state.watchers.preUpdates.user = nil
    }
  }

  /// Sets the closure that is called for each table when the table first changes.
  func filter(_ includes: @escaping (String) -> Bool, _ state: ConnectionState) {
    unsafe filterBox = Box(Filter(includes: includes), state).retained()
    unsafe sluice_session_table_filter(
      handle,
      { box, table in
        guard let table = unsafe table else { return 0 }
        return unsafe Box<Filter>.with(box) { box in
          box.state.within(.hook) { box.value.includes(unsafe String(cString: table)) ? 1 : 0 }
        }
      }, filterBox)
  }
}

extension Connection {
  /// Makes SQLite re-prepare every statement before its next run.
  ///
  /// A `DELETE` without `WHERE` that was prepared without a session or hook empties the table without reporting
  /// the rows.
  func recompileStatements() {
    guard let handle = unsafe rawHandle else { return }
    // SQLite re-prepares statements when this setting changes.
    var value: Int32 = 0
    unsafe sluice_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, -1, &value)
    unsafe sluice_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, 1 - value, nil)
    unsafe sluice_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, value, nil)
  }
}
