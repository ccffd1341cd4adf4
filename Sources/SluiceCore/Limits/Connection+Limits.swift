import CSluice

/// How much a connection takes, which is worth lowering before it runs what others have written.
extension Connection {
  /// How much the connection takes of something.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public func limit(_ limit: ConnectionLimit) throws -> Int {
    Int(unsafe sqlite3_limit(try handle(), limit.rawValue, -1))
  }

  /// Sets how much the connection takes of something, from the next statement on.
  ///
  /// A number that the linked SQLite cannot have throws ``ResultCode/range`` and changes nothing: one below
  /// zero, one above what it was built for, or a ``ConnectionLimit/length`` of a few bytes. What goes beyond a
  /// limit later throws ``ResultCode/tooBig`` or ``ResultCode/error``.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public func setLimit(_ limit: ConnectionLimit, to value: Int) throws {
    try state.require(.use)
    let handle = try unsafe handle()
    guard let number = Int32(exactly: value), number >= 0 else {
      throw SQLiteError(.range, "\(value) cannot be a limit")
    }
    let old = unsafe sqlite3_limit(handle, limit.rawValue, number)
    // SQLite takes the nearest number that it can have, and says nothing.
    let now = unsafe sqlite3_limit(handle, limit.rawValue, -1)
    guard now == number else {
      unsafe sqlite3_limit(handle, limit.rawValue, old)
      throw SQLiteError(
        .range,
        "The linked SQLite cannot have \(value) as the limit \(limit): the nearest is \(now)")
    }
  }
}
