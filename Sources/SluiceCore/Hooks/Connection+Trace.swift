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
    try observe(\.trace) { TraceObserver($0, $1, events.flags, body) }
  }
}

/// An observer of the events that its flags name.
final class TraceObserver: Observer<TraceEvent, Void> {
  let events: Int

  init(
    _ state: ConnectionState, _ token: HookToken, _ events: Int,
    _ body: @escaping (borrowing TraceEvent) throws -> Void
  ) {
    self.events = events
    super.init(state, token, body)
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
      for observer in trace.all where observer.events & code != 0 && !observer.token.isCancelled {
        // Observers of traces cannot throw.
        try? observer.tell(event)
      }
    }
  }
}

/// The events that ``Connection/trace(_:_:)`` reports.
///
/// The corresponding C values are `SQLITE_TRACE_*`.
public struct TraceEvents: OptionSet, Hashable, Sendable {
  /// The flags as C has them.
  public let rawValue: Int32

  /// The events for flags of C.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// A statement begins, or a trigger of it.
  public static var statement: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_STMT) }
  /// A statement has ended, and how long it took.
  public static var profile: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_PROFILE) }
  /// A statement has come to a row.
  public static var row: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_ROW) }
  /// The connection closes.
  public static var close: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_CLOSE) }

  /// The flags for C, without those that mean something else inside of SQLite.
  var flags: Int { Int(intersection([.statement, .profile, .row, .close]).rawValue) }
}

/// Something that a connection does, lent for the time of the call.
@safe public struct TraceEvent: ~Copyable {
  /// What the connection does.
  public let kind: Kind
  /// Nil where the connection closes.
  private let statement: OpaquePointer?
  /// SQLite's text of a statement that begins.
  private let text: UnsafePointer<CChar>?

  /// An event of a connection.
  public enum Kind: Hashable, Sendable {
    /// A statement begins.
    case statement
    /// A trigger begins that a statement has fired, or one of the trigger's statements.
    case trigger
    /// A statement has ended, be it with an error, and has taken so long.
    case profile(Duration)
    /// A statement has come to a row.
    case row
    /// The connection closes.
    case close
  }

  init?(_ code: UInt32, _ subject: UnsafeMutableRawPointer?, _ detail: UnsafeMutableRawPointer?) {
    var text: UnsafePointer<CChar>?
    switch Int32(bitPattern: code) {
    case SQLITE_TRACE_STMT:
      unsafe text = UnsafePointer(detail?.assumingMemoryBound(to: CChar.self))
      let sql = unsafe sqlite3_sql(OpaquePointer(subject))
      // SQLite reports a statement inside another one as a comment, like the name of a trigger.
      kind = unsafe text == sql || isComment(text, of: sql) ? .statement : .trigger
      if kind == .statement { unsafe text = sql }
    case SQLITE_TRACE_PROFILE:
      let time = unsafe detail?.loadUnaligned(as: Int64.self) ?? 0
      kind = .profile(.nanoseconds(time))
    case SQLITE_TRACE_ROW: kind = .row
    case SQLITE_TRACE_CLOSE: kind = .close
    default: return nil
    }
    unsafe self.text = text
    unsafe statement = kind == .close ? nil : OpaquePointer(subject)
  }
}

/// Whether a text is "-- ", and then another one.
private func isComment(_ text: UnsafePointer<CChar>?, of other: UnsafePointer<CChar>?) -> Bool {
  guard let text = unsafe text, let other = unsafe other else { return false }
  var index = 0
  for mark in "-- ".utf8 {
    guard unsafe text[index] == CChar(bitPattern: mark) else { return false }
    index += 1
  }
  while unsafe text[index] == other[index - 3] {
    if unsafe text[index] == 0 { return true }
    index += 1
  }
  return false
}

extension TraceEvent {
  /// How long a statement took that has ended, or nil for any other event.
  public var duration: Duration? {
    if case .profile(let duration) = kind { return duration }
    return nil
  }

  /// The SQL of the statement, or a comment that tells of the trigger; nil where the connection closes.
  ///
  /// The corresponding C function is `sqlite3_sql`.
  public var sql: String? {
    if let text = unsafe text { return unsafe String(cString: text) }
    return unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) }
  }

  /// The SQL with the values in it that are bound, which is made only when it is asked for.
  ///
  /// It holds what users have entered, so do not log it. It is nil where the connection closes, and if
  /// the text would be longer than SQLite allows.
  ///
  /// The corresponding C function is `sqlite3_expanded_sql`.
  public var expandedSQL: String? {
    guard let statement = unsafe statement, let text = unsafe sqlite3_expanded_sql(statement) else {
      return nil
    }
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }

  /// A number that no other statement has as long as this one lives, so that its events can be put
  /// together; nil where the connection closes.
  public var statementID: UInt? { unsafe statement.map { UInt(bitPattern: $0) } }

  /// Returns a counter of the statement so far.
  func count(of counter: Int32) -> Int {
    unsafe Int(sqlite3_stmt_status(statement, counter, 0))
  }

  var code: Int32 {
    switch kind {
    case .statement, .trigger: SQLITE_TRACE_STMT
    case .profile: SQLITE_TRACE_PROFILE
    case .row: SQLITE_TRACE_ROW
    case .close: SQLITE_TRACE_CLOSE
    }
  }
}
