/// Accesses that cannot write.
extension Connection {
  /// Calls `body`, during which SQL that writes throws.
  ///
  /// ```swift
  /// let report = try connection.readOnly { connection in
  ///   try connection.query(.values, sql: userQuery)
  /// }
  /// ```
  ///
  /// The connection can write again after the call, even if `body` throws. SQL in `body` can lift the restriction with
  /// `PRAGMA query_only`; an authorizer prevents that, see ``authorize(_:)``.
  ///
  /// - Throws: ``ResultCode/readOnly`` for SQL that writes; any error that `body` throws.
  ///
  /// The corresponding SQL is `PRAGMA query_only`.
  public func readOnly<T>(_ body: (Connection) throws -> T) throws -> T {
    let isProtected = try pragma(.queryOnly)
    if !isProtected { try setPragma(.queryOnly, to: true) }
    let result = Result { try body(self) }
    guard !isProtected, isOpen else { return try result.get() }
    let end = Result { try cleaningUp { try setPragma(.queryOnly, to: false) } }
    let value = try result.get()
    try end.get()
    return value
  }
}
