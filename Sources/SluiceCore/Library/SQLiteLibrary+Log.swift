import CSluice
import Dispatch
import Synchronization

/// A message in SQLite's log.
public struct LogEntry: Hashable, Sendable {
  /// The result code: an error, ``ResultCode/notice`` or ``ResultCode/warning``.
  public let code: ResultCode
  /// SQLite's message, for developers.
  public let message: String
}

extension SQLiteLibrary {
  /// Calls `body` with each message that SQLite writes to its log, for all connections together.
  ///
  /// ```swift
  /// try SQLiteLibrary.onLog { entry in print("SQLite:", entry.message, entry.code) }
  /// ```
  ///
  /// SQLite 3.40 accepts a log handler only before it starts, that is, before the first connection opens. The first
  /// call of this method must come before that; otherwise, it throws ``ResultCode/misuse``. Newer versions of
  /// SQLite also accept a handler later. Once a call has succeeded, more observers can be added at any time.
  ///
  /// SQLite writes messages in the middle of its work, when it must not be called. Therefore, `body` is called
  /// shortly afterwards on a separate thread, with one message at a time, and can use SQLite. When a process ends,
  /// its last messages may be lost. Messages can contain SQL and file paths.
  ///
  /// The corresponding C value is `SQLITE_CONFIG_LOG`.
  @discardableResult
  public static func onLog(
    _ body: @escaping @Sendable (_ entry: LogEntry) -> Void
  ) throws -> HookToken {
    let token = HookToken(CancellationFlag())
    try Log.shared.withLock { log in
      if !log.isInstalled {
        try configure {
          unsafe sluice_config_log(
            { _, code, message in
              guard let message = unsafe message else { return }
              let text = unsafe String(cString: message)
              Log.write(LogEntry(code: ResultCode(rawValue: code), message: text))
            }, nil)
        }
        log.isInstalled = true
      }
      log.removeCancelled()
      log.observers.append((token, body))
    }
    return token
  }

  /// Writes a message to SQLite's log, truncated to a few hundred bytes.
  ///
  /// The observers that ``onLog(_:)`` added receive the message. If there are no observers, the message is lost. A
  /// message that contains a NUL throws ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_log`.
  public static func log(_ code: ResultCode, _ message: String) throws {
    try refuseNUL(in: message, "The message")
    unsafe sluice_log(code.rawValue, message)
  }
}

/// The observers of the log.
private struct Log {
  var isInstalled = false
  var observers: [(token: HookToken, body: @Sendable (LogEntry) -> Void)] = []

  static let shared = Locked(Log())
  /// The queue that calls the observers.
  ///
  /// The observers are not called directly, because SQLite may hold any of its locks while it writes to the log.
  private static let queue = DispatchQueue(label: "sluice.log")

  mutating func removeCancelled() { observers.removeAll(where: \.token.isCancelled) }

  static func write(_ entry: LogEntry) {
    queue.async {
      let observers = shared.withLock { log in
        log.removeCancelled()
        return log.observers
      }
      for observer in observers where !observer.token.isCancelled { observer.body(entry) }
    }
  }
}
