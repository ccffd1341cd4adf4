import CSluice

// Stepping through the rows of a statement.
extension Statement {
  /// Advances to the next row, and returns it, or nil if there is none.
  ///
  /// A nil result ends a loop. The next call runs the statement again from its start, as after ``execute()`` and all
  /// other methods that run a statement to its end.
  ///
  /// ```swift
  /// while let row = try statement.step() {
  ///   print(try row.value(at: 0))
  /// }
  /// ```
  ///
  /// The corresponding C function is `sqlite3_step`.
  public func step() throws -> Row? {
    try state.beginUse()
    defer { state.endUse() }
    return try advance() ? Row(self) : nil
  }

  /// Advances to the next row, and returns a copy of it, or nil if there is none.
  ///
  /// The compiler chooses this overload where a ``Row``, which cannot be copied, is not accepted, as in
  /// `XCTAssertNil(try statement.step())`.
  @_disfavoredOverload
  public func step() throws -> RowValues? {
    try state.beginUse()
    defer { state.endUse() }
    return try advance() ? Row(self).values() : nil
  }

  /// Executes the statement from its start to its end, and discards any rows.
  public func execute() throws {
    try state.beginUse()
    defer { state.endUse() }
    if try startAnew() { while try advance() {} }
  }

  /// Resets the statement, and keeps its bindings.
  ///
  /// Resetting ends a statement that writes, even if it has more rows to return. Outside a transaction, this also
  /// commits its changes, which can fail.
  ///
  /// The corresponding C function is `sqlite3_reset`.
  public func reset() throws {
    try state.beginUse()
    defer { state.endUse() }
    try stop(.ready)
  }

  /// Ends a statement that is at a row; called when a transaction begins or ends, or when a queue's access
  /// ends.
  ///
  /// Stepping the statement again throws, because the step would restart the statement and repeat its writes.
  func end() throws {
    if progress.isAtRow { try stop(.ended) }
  }

  /// Resets the statement as a part of a use of the connection.
  @usableFromInline
  func stop() throws { try stop(.ready) }

  @inline(__always)
  private func stop(_ next: Progress) throws {
    let handle = try unsafe idleHandle()
    guard progress.isAtRow else {
      progress = next
      return
    }
    try unsafe leaveRow(for: next, handle)
  }

  private func leaveRow(for next: Progress, _ handle: OpaquePointer) throws {
    // Throw in a hook: resetting another statement there could make SQLite commit in the middle of a commit.
    try state.require(.use)
    leaveRow(for: next)
    let code = unsafe rewind(handle)
    guard code == SQLITE_OK else {
      let error = connection.failure(code, sql: sql)
      connection.noteEnd(after: error)
      state.settle()
      throw error
    }
    state.dropFailure()
    unsafe noteEnd(handle)
    state.settle()
  }
}

extension Statement {
  /// Advances to the next row, and returns whether there is one.
  @usableFromInline
  func advance() throws -> Bool {
    // Between two rows of a statement that only reads, no other conditions need to be checked.
    guard progress == .atRow, currentRow.isFree, !state.hasConditionsBetweenRows else {
      return try start()
    }
    // A statement at a row has a handle.
    let handle = unsafe handle.unsafelyUnwrapped
    let code = unsafe step(handle)
    guard code == SQLITE_ROW else { return try unsafe finish(code, handle) }
    if state.hasConditionsBetweenRows { try release() }
    return true
  }

  /// Restarts the statement, and returns whether there is a first row.
  @usableFromInline
  func startAnew() throws -> Bool {
    // If bytes of the row are borrowed, `reset` throws, and the statement keeps its state.
    if progress.isAtRow || !currentRow.isFree { try stop() } else { progress = .ready }
    return try start()
  }

  /// Advances to the first or next row, and returns whether there is one; throws if the statement cannot be
  /// stepped.
  private func start() throws -> Bool {
    if state.hasWorkBeforeStart { try settleBeforeStart() }
    let handle = try unsafe idleHandle()
    let isStart = progress == .ready
    if isStart {
      depth = state.scope.depth
      guard parameters.isComplete else { throw unbound(parameters.firstUnbound ?? 1) }
    } else if progress == .ended {
      throw endedEarly
    }
    if state.calls.word != 0 {
      if !state.isQuiet { try connection.refuseStatements() }
      // SQLite reports statements such as COMMIT and ATTACH as read-only. They are recognized by having no
      // columns.
      if isWriter || currentRow.width == 0 {
        if isWriter, state.writes.policy.refusesStatements {
          throw state.writes.policy.walLimit ?? readOnly
        }
        try state.requireWriting()
        if !isWriter, state.calls.refuses(.endTransaction), StatementTraits.endsTransaction(sql) {
          try state.require(.endTransaction)
        }
      }
      if isStart, state.followsStatements { return try unsafe startFollowed(handle) }
    }
    return try unsafe goOn(handle, isStart)
  }

  /// Performs the first step with `goOn`, and reports the statement to the transaction watch and the tracker.
  ///
  /// The watch and the tracker record the statement's reads, writes and rollbacks.
  @inline(never)
  private func startFollowed(_ handle: OpaquePointer) throws -> Bool {
    if isWriter, state.watchesTransactions { state.watchers.transactions?.begin(self) }
    guard let tracker = state.tracker else { return try unsafe goOn(handle, true) }
    return try tracker.run(self) { try unsafe goOn(handle, true) }
  }

  /// Advances to the first or next row after all checks have passed, and returns whether there is one.
  @inline(__always)
  private func goOn(_ handle: OpaquePointer, _ isStart: Bool) throws -> Bool {
    if isWriter { state.writes.begin() }
    let code =
      traits.contains(.setsCheckpoints) ? unsafe stepOutsideWALHook(handle) : unsafe step(handle)
    if isWriter {
      state.writes.end()
      if state.writes.isWatching { state.writes.note(unsafe InsertedRow(handle)) }
    }
    if isStart {
      unsafe resultColumns.refresh(from: handle)
      if currentRow.width != resultColumns.count { setWidth() }
    }
    guard code == SQLITE_ROW else { return try unsafe finish(code, handle) }
    if isStart {
      if !state.failures.isEmpty { try unsafe settleFailure(handle) }
      if isWriter {
        progress = .atRowOfWriter
        state.live.standingWriters += 1
      } else {
        progress = .atRow
      }
    }
    if state.hasReleased { try release() }
    return true
  }

  private var readOnly: SQLiteError {
    SQLiteError(.readOnly, "This access is read-only", sql: sql)
  }

  private var endedEarly: SQLiteError {
    SQLiteError(
      .misuse,
      "The statement was reset because a transaction began or ended, or its access ended",
      sql: sql)
  }

  /// Handles a step that returned no row: returns false at the end, or throws the error.
  private func finish(_ code: Int32, _ handle: OpaquePointer) throws -> Bool {
    guard code == SQLITE_DONE else { throw unsafe failed(code, handle) }
    if !state.failures.isEmpty { try unsafe settleFailure(handle) }
    _ = unsafe rewind(handle)
    leaveRow(for: .ready)
    unsafe noteEnd(handle)
    if !traits.isDisjoint(with: .hasAftermath) { settleAftermath() }
    state.settle()
    return false
  }

  @inline(never)
  private func failed(_ code: Int32, _ handle: OpaquePointer) -> any Error {
    unsafe failed(connection.failure(code, sql: sql), handle)
  }

  /// Drops errors that closures threw during a step that succeeded; if a hook vetoed the step, undoes the step
  /// and throws.
  ///
  /// SQLite can complete a step despite a veto, so the step must be undone.
  @inline(never)
  private func settleFailure(_ handle: OpaquePointer) throws {
    guard state.hasUnheardVeto else { return state.dropFailure() }
    // Outside a transaction, this reset would commit the changes, but the veto prevents the commit.
    _ = unsafe rewind(handle)
    throw unsafe failed(connection.undoVetoed(sql: sql), handle)
  }

  private func failed(_ error: any Error, _ handle: OpaquePointer) -> any Error {
    // The result is ignored, because `sqlite3_reset` only repeats the result code of the step, and the caller
    // throws `error`.
    _ = unsafe rewind(handle)
    leaveRow(for: .ready)
    if isWriter, state.watchesTransactions { state.watchers.transactions?.fail(self) }
    connection.noteEnd(after: error)
    state.settle()
    return error
  }

  /// Evicts statements in which names may now refer to other tables, or records the start or end of a
  /// savepoint.
  @inline(never)
  private func settleAftermath() {
    if isWriter {
      connection.evictStatements()
      state.watchers.transactions?.forgetNames()
    } else if let step = SavepointStep(sql: sql) {
      connection.transactionWatch.apply(step)
    }
  }

  @inline(__always)
  func leaveRow(for next: Progress) {
    if progress == .atRowOfWriter { state.live.standingWriters -= 1 }
    progress = next
  }

  /// Notifies the connection if the end of the statement has ended the transaction of an open scope.
  @inline(__always)
  private func noteEnd(_ handle: OpaquePointer) {
    guard state.scope.depth > 0,
      unsafe sqlite3_get_autocommit(sqlite3_db_handle(handle)) != 0
    else { return }
    connection.noteEnd()
  }

  /// Deallocates objects that SQLite released during a step to a row, and throws if a deinit changed the
  /// statement's position.
  @inline(never)
  private func release() throws { try unmoved { state.settle() } }

  /// Completes deferred work before the state of the statement is read.
  ///
  /// This method finalizes deferred statements and blobs, and releases cancelled observers. The deinits that
  /// run can change the state of this statement.
  @inline(never)
  private func settleBeforeStart() throws {
    try state.refuseStrangers()
    if state.hasDeferredEnds { try unmoved { connection.finishDeferred() } }
    if state.cancellations != nil { try unmoved { connection.settleHooks() } }
    if state.watchesTransactions { try unmoved { state.watchers.transactions?.tellEnds() } }
  }

  /// Calls `letGo`, which releases objects, and throws if a deinit changed the statement's position.
  private func unmoved(_ letGo: () -> Void) throws {
    let current = currentRow.position
    letGo()
    guard currentRow.position != current else { return }
    if unsafe handle == nil { throw connection.closed }
    throw SQLiteError(
      .misuse, "Code that ran during a step, such as a deinit, stepped or reset this statement",
      sql: sql)
  }

  /// Resets the statement, invalidates its rows, and returns SQLite's result code.
  @inline(__always)
  func rewind(_ handle: OpaquePointer) -> Int32 {
    inSQLite { unsafe sqlite3_reset(handle) }
  }

  /// Makes an SQLite call that steps or resets the statement, and returns the result code.
  ///
  /// The call may call back into Swift. Objects that C releases during the call are deallocated only after the
  /// statement has recorded the result of the call.
  @inline(__always)
  func inSQLite(_ move: () -> Int32) -> Int32 {
    currentRow.enterSQLite()
    let code = state.calling(move)
    currentRow.free()
    return code
  }

  /// Steps the statement, and returns SQLite's result code; SQLite may call back into Swift.
  @inline(__always)
  private func step(_ handle: OpaquePointer) -> Int32 { inSQLite { unsafe sqlite3_step(handle) } }

  /// Steps the statement while SQLite's own WAL hook is installed, and returns SQLite's result code.
  ///
  /// The step may re-prepare the pragma that reads or changes this hook.
  @inline(never)
  private func stepOutsideWALHook(_ handle: OpaquePointer) -> Int32 {
    // While the statement has a handle, the connection has one too.
    unsafe connection.lendingWALHook(connection.rawHandle.unsafelyUnwrapped) {
      unsafe step(handle)
    }
  }
}
