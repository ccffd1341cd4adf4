import CSluice

extension Connection {
  /// Calls `body` periodically while statements run; an error that `body` throws ends the statement.
  ///
  /// ```swift
  /// try connection.onProgress(every: 10_000) {
  ///   if ContinuousClock.now > deadline { throw TooLate() }
  /// }
  /// ```
  ///
  /// `instructions` is the approximate number of SQLite's virtual machine instructions between two calls. Ten
  /// thousand instructions take less than a millisecond. If `body` throws, the statement ends, and throws that
  /// error. A statement that writes is undone, together with the transaction that it is part of. `body` cannot stop
  /// a rollback that the library performs. Before SQLite 3.40, a `COMMIT` can throw the error although it has committed.
  ///
  /// Using the connection in `body` throws ``ResultCode/misuse``. If there are several observers, each has its own
  /// interval. In all other respects, this method behaves like ``onCommit(_:)``.
  ///
  /// - Throws: ``ResultCode/range`` if `instructions` is less than 1.
  ///
  /// The corresponding C function is `sqlite3_progress_handler`.
  @discardableResult
  public func onProgress(
    every instructions: Int, _ body: @escaping () throws -> Void
  ) throws -> HookToken {
    guard instructions > 0 else {
      throw SQLiteError(.range, "The instruction count must be positive (got \(instructions))")
    }
    return try observe(\.progress) { ProgressObserver($0, $1, every: instructions, body) }
  }
}

/// An observer that is called each time a given number of SQLite instructions have run.
final class ProgressObserver: Observer<Void, Void> {
  let interval: Int
  /// The number of instructions since the last call.
  private var elapsed = 0

  init(
    _ state: ConnectionState, _ token: HookToken, every interval: Int,
    _ body: @escaping () throws -> Void
  ) {
    self.interval = interval
    super.init(state, token) { _ in try body() }
  }

  /// Counts further instructions, and calls the closure at the end of its interval.
  func pass(_ instructions: Int) throws {
    elapsed = elapsed.addingReportingOverflow(instructions).partialValue
    guard elapsed >= interval else { return }
    elapsed = 0
    try tell(())
  }
}

extension Hooks {
  func installProgressHandler(_ handle: OpaquePointer, _ interval: Int) {
    guard interval > 0 else { return unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
    unsafe sqlite3_progress_handler(
      handle, Int32(clamping: interval), { unsafe Hooks.at($0).isToEnd() ? 1 : 0 }, pointer)
  }

  private func isToEnd() -> Bool {
    guard !state.calls.isCleaningUp else { return false }
    return state.within(.hook) {
      do {
        for observer in progress.all where !observer.token.isCancelled {
          try observer.pass(interval)
        }
      } catch {
        state.keepFailure(error)
        return true
      }
      return false
    }
  }
}
