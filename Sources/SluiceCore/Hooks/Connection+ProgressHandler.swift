import CSluice

extension Connection {
  /// Calls `body` again and again while statements run, which it ends by throwing.
  ///
  /// ```swift
  /// try connection.onProgress(every: 10_000) {
  ///   if ContinuousClock.now > deadline { throw TooLate() }
  /// }
  /// ```
  ///
  /// `instructions` is about how many instructions of SQLite's own pass in between: ten thousand take
  /// less than a millisecond. If `body` throws, the statement ends, and throws that error. One that writes is undone,
  /// together with the transaction that it is part of. What the library itself does to roll back cannot be ended so.
  ///
  /// `body` cannot use the connection, which throws ``ResultCode/misuse``. With several observers, each
  /// has an interval of its own. In all else it is like ``onCommit(_:)``.
  ///
  /// It throws ``ResultCode/range`` for less than one instruction.
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

/// An observer that is called after a number of instructions.
final class ProgressObserver: Observer<Void, Void> {
  let interval: Int
  /// The instructions since its last call.
  private var elapsed = 0

  init(
    _ state: ConnectionState, _ token: HookToken, every interval: Int,
    _ body: @escaping () throws -> Void
  ) {
    self.interval = interval
    super.init(state, token) { _ in try body() }
  }

  /// Calls the closure if its interval is over after so many more instructions.
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
    guard !state.isCleaningUp else { return false }
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
