import CSluice

extension Connection {
  /// Whether an option of the connection is on.
  ///
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite does not know the option.
  ///
  /// The corresponding C function is `sqlite3_db_config`.
  public func option(_ option: ConnectionOption) throws -> Bool {
    try configure(option, -1)
  }

  /// Turns an option of the connection on or off, from the next statement on.
  ///
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite does not know the option, and ``ResultCode/permission``
  ///   if SQLite refuses to change it, or if the configuration forbids ``ConnectionOption/fts3Tokenizer``.
  ///
  /// The corresponding C function is `sqlite3_db_config`.
  public func setOption(_ option: ConnectionOption, _ isOn: Bool) throws {
    try state.require(.use)
    if option == .fts3Tokenizer, isOn, configuration.fts3Tokenizer == false {
      throw SQLiteError(.permission, "The configuration forbids fts3_tokenizer")
    }
    guard try configure(option, isOn ? 1 : 0) == isOn else {
      throw SQLiteError(
        .permission,
        "SQLite \(SQLiteLibrary.version) refuses to turn \(option) \(isOn ? "on" : "off")")
    }
  }

  /// Sets an option, or reads it if `value` is negative, and returns whether it is on.
  private func configure(_ option: ConnectionOption, _ value: Int32) throws -> Bool {
    var now: Int32 = 0
    guard unsafe sluice_db_config(try handle(), option.rawValue, value, &now) == SQLITE_OK else {
      throw SQLiteError(
        .notFound, "SQLite \(SQLiteLibrary.version) does not know the option \(option)")
    }
    return now != 0
  }
}
