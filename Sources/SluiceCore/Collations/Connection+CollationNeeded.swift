import CSluice

/// What is asked for a collation that is not known.
typealias CollationNeeded = (Connection, String) throws -> Void

extension Connection {
  /// Calls `supply` when a statement needs a collation that is not known, so that it can be added.
  ///
  /// ```swift
  /// try connection.onCollationNeeded { connection, name in
  ///   guard let locale = locale(ofCollation: name) else { return }
  ///   try connection.addCollation(name) { compare($0, $1, in: locale) }
  /// }
  /// ```
  ///
  /// If `supply` does not add it, preparing the statement throws
  /// ``ResultCode/errorMissingCollation`` or what `supply` threw. There is one such closure for a
  /// connection; nil removes it. It can do nothing but add collations: SQLite is in the middle of
  /// compiling a statement, so all else throws ``ResultCode/misuse``. If it refers to the connection
  /// otherwise than by its argument, neither is released before ``close()``.
  ///
  /// The corresponding C function is `sqlite3_collation_needed`.
  public func onCollationNeeded(
    _ supply: ((_ connection: Connection, _ name: String) throws -> Void)?
  ) throws {
    let handle = try unsafe handle()
    try state.require(.use)
    guard let supply else {
      try check(unsafe sqlite3_collation_needed(handle, nil, nil))
      replaceCollationNeeded(by: nil)
      return
    }
    // The connection outlives its own callbacks: it takes them back before it goes.
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(
      unsafe sqlite3_collation_needed(handle, me) { me, _, _, name in
        guard let me = unsafe me, let name = unsafe name else { return }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(me).takeUnretainedValue()
        let outer = connection.state.enter(.supplyCollation)
        defer { connection.state.leave(to: outer) }
        do {
          try connection.collationNeeded?(connection, unsafe String(cString: name))
        } catch {
          connection.state.keepFailure(error)
        }
      })
    replaceCollationNeeded(by: supply)
  }
}
