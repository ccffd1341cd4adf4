import CSluice

extension Connection {
  /// Calls `body` for what the connection does: statements that begin, rows, statements that have
  /// ended, and that it closes.
  ///
  /// ```swift
  /// try connection.trace(.profile) { event in
  ///   guard let duration = event.duration, duration > .milliseconds(50) else { return }
  ///   print(event.sql ?? "", duration)
  /// }
  /// ```
  ///
  /// What nobody asks for costs nothing, not even a call. `body` cannot use the connection, which throws
  /// ``ResultCode/misuse``, nor can it throw. In all else it is like ``onCommit(_:)``.
  ///
  /// The corresponding C function is `sqlite3_trace_v2`.
  @discardableResult
  public func trace(
    _ events: TraceEvents, _ body: @escaping (_ event: borrowing TraceEvent) -> Void
  ) throws -> HookToken {
    try observe(\.trace, wish: events.flags, body)
  }
}

extension Hooks {
  func installTrace(_ handle: OpaquePointer, _ events: Int) {
    unsafe sqlite3_trace_v2(
      handle, UInt32(truncatingIfNeeded: events),
      { code, me, subject, detail in
        let hooks = unsafe Hooks.at(me)
        if let event = unsafe TraceEvent(code, subject, detail) { hooks.tell(event) }
        return 0
      }, pointer)
  }

  private func tell(_ event: borrowing TraceEvent) {
    let code = Int(event.code)
    state.within(.hook) {
      for observer in trace.all where observer.wish & code != 0 && !observer.token.isCancelled {
        // It cannot throw.
        try? observer.tell(event)
      }
    }
  }
}
