import CSluice

extension Statement {
  /// Calls `body` with the `sqlite3_stmt` of this statement, for functions of C that Sluice lacks.
  ///
  /// ```swift
  /// let isExplain = try unsafe statement.withUnsafeHandle { handle in
  ///   unsafe sqlite3_stmt_isexplain(handle) != 0
  /// }
  /// ```
  ///
  /// The compiler cannot check what `body` does. It must not finalize the statement, or keep the handle after it returns.
  /// Meanwhile, other code can neither use the statement nor close its connection.
  ///
  /// A row that the statement stands on can be read before, inside and afterwards. If `body` steps or resets the statement,
  /// the row becomes invalid, and the statement starts from its beginning the next time. Values that `body` binds are
  /// used, but a parameter that only C has bound counts as one without a value: bind it with Sluice first, to NULL
  /// for example.
  ///
  /// - Returns: The value of `body`.
  /// - Throws: ``ResultCode/misuse`` if the connection is closed, the statement is running, or bytes of its row are lent;
  ///   the error of `body`.
  @unsafe
  public func withUnsafeHandle<T>(_ body: (_ handle: OpaquePointer) throws -> T) throws -> T {
    connection.finalizeOrphans()
    let handle = try unsafe idleHandle()
    try state.refuseStrangers()
    try connection.refuseStatements()
    try state.requireWriting()
    let isOnRow = progress == .atRow
    let steps = unsafe Self.steps(of: handle)
    func isMoved() -> Bool {
      unsafe sqlite3_stmt_busy(handle) != 0
        ? !isOnRow || Self.steps(of: handle) != steps
        : isOnRow || Self.steps(of: handle) != steps
    }
    var failure: (any Error)?
    let value = try connection.lendingHandle(changes: isMoved()) {
      unsafe holds += 1
      defer { unsafe holds -= 1 }
      let result = Result { try unsafe body(handle) }
      unsafe failure = isMoved() ? restart(handle) : nil
      return try result.get()
    }
    if let failure { throw failure }
    return value
  }

  /// Brings a statement that C has moved back to its start.
  private func restart(_ handle: OpaquePointer) -> (any Error)? {
    // Of a statement that C has left, SQLite repeats the failure, which C knows.
    let isBusy = unsafe sqlite3_stmt_busy(handle) != 0
    let held = unsafe holds
    let code = unsafe rewind(handle)
    unsafe holds = held
    leaveRow(for: .ready)
    return isBusy && code != SQLITE_OK ? connection.failure(code, sql: sql) : nil
  }

  /// A number that grows with each step.
  private static func steps(of handle: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)
  }
}
