import CSluice

extension Connection {
  /// Calls `body` for events of the connection: statements that begin or end, rows, and closing.
  ///
  /// ```swift
  /// try connection.trace(.profile) { event in
  ///   guard let duration = event.duration, duration > .milliseconds(50) else { return }
  ///   print(event.sql ?? "", duration)
  /// }
  /// ```
  ///
  /// Events that no observer requests have no cost, not even that of a call. `body` cannot throw, and using the
  /// connection in `body` throws ``ResultCode/misuse``. In all other respects, this
  /// method behaves like ``onCommit(_:)``.
  ///
  /// The corresponding C function is `sqlite3_trace_v2`.
  @discardableResult
  public func trace(
    _ events: TraceEvents, _ body: @escaping (_ event: borrowing TraceEvent) -> Void
  ) throws -> HookToken {
    try observe(\.trace) { TraceObserver($0, $1, events.flags, body) }
  }
}

/// An observer of the events that its flags select.
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
  /// The C flags of the events.
  public let rawValue: Int32

  /// Creates a set of events from C flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The start of a statement, or of one of its triggers.
  public static var statement: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_STMT) }
  /// The end of a statement, with its duration.
  public static var profile: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_PROFILE) }
  /// A row that a statement produces.
  public static var row: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_ROW) }
  /// The closing of the connection.
  public static var close: TraceEvents { TraceEvents(rawValue: SQLITE_TRACE_CLOSE) }

  /// The C flags of these events, without flags that have another meaning inside SQLite.
  var flags: Int { Int(intersection([.statement, .profile, .row, .close]).rawValue) }
}

/// An event of a connection, valid only during the call.
@safe public struct TraceEvent: ~Copyable {
  /// The kind of the event.
  public let kind: Kind
  /// The statement handle; nil when the connection closes.
  private let statement: OpaquePointer?
  /// The text that SQLite reports when a statement or a trigger begins.
  private let text: UnsafePointer<CChar>?

  /// A kind of event.
  public enum Kind: Hashable, Sendable {
    /// The start of a statement.
    case statement
    /// The start of a trigger that a statement fired, or of one of the trigger's statements.
    case trigger
    /// The end of a statement, successful or not, with its duration.
    case profile(Duration)
    /// A row that a statement produces.
    case row
    /// The closing of the connection.
    case close
  }

  init?(_ code: UInt32, _ subject: UnsafeMutableRawPointer?, _ detail: UnsafeMutableRawPointer?) {
    var text: UnsafePointer<CChar>?
    switch Int32(bitPattern: code) {
    case SQLITE_TRACE_STMT:
      unsafe text = UnsafePointer(detail?.assumingMemoryBound(to: CChar.self))
      let sql = unsafe sqlite3_sql(OpaquePointer(subject))
      // SQLite reports some events as a comment. If the comment consists of the statement's own SQL, the statement
      // begins inside another one. Otherwise, a trigger or one of the trigger's statements begins.
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

/// Returns whether `text` consists of "-- " followed by `other`.
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
  /// The duration of a statement that has ended; nil for any other event.
  public var duration: Duration? {
    if case .profile(let duration) = kind { return duration }
    return nil
  }

  /// The SQL of the statement, or a comment that describes the trigger; nil when the connection closes.
  ///
  /// The corresponding C function is `sqlite3_sql`.
  public var sql: String? {
    if let text = unsafe text { return unsafe String(cString: text) }
    return unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) }
  }

  /// The SQL with the bound values inserted; the text is created only when this property is read.
  ///
  /// The text can contain values that users have entered, so do not log it. The property is nil when the connection
  /// closes, and if the text would be longer than SQLite allows.
  ///
  /// The corresponding C function is `sqlite3_expanded_sql`.
  public var expandedSQL: String? {
    guard let statement = unsafe statement, let text = unsafe sqlite3_expanded_sql(statement) else {
      return nil
    }
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }

  /// A number that identifies the statement while it exists; nil when the connection closes.
  ///
  /// Use this number to group the events of a statement.
  public var statementID: UInt? { unsafe statement.map { UInt(bitPattern: $0) } }

  /// Returns the current value of one of the statement's counters.
  func count(of counter: Int32) -> Int {
    unsafe Int(sqlite3_stmt_status(statement, counter, 0))
  }

  /// The counters of each loop of the statement; empty if the linked SQLite has none.
  var scanStatus: [ScanStatus] { unsafe statement.map { unsafe ScanStatus.all(of: $0) } ?? [] }

  var code: Int32 {
    switch kind {
    case .statement, .trigger: SQLITE_TRACE_STMT
    case .profile: SQLITE_TRACE_PROFILE
    case .row: SQLITE_TRACE_ROW
    case .close: SQLITE_TRACE_CLOSE
    }
  }
}
