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
  /// SQLite 3.40 accepts a log handler only before it starts, which happens with the first connection. The first
  /// call of this method must therefore come earlier, or throws ``ResultCode/misuse``. Newer versions of SQLite also
  /// accept it later. Once a call has succeeded, more observers can be added at any time.
  ///
  /// SQLite writes messages in the middle of its work, when it cannot be used. `body` is therefore called shortly
  /// afterwards, with one message at a time, on a separate thread, and can use SQLite. When a process ends, its last
  /// messages may not have been delivered. Messages can contain SQL and file paths.
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

  /// Writes a message to SQLite's log, which keeps only a few hundred bytes of it.
  ///
  /// The message goes to the observers of ``onLog(_:)``; without any, it is lost. A message that contains a NUL
  /// throws ``ResultCode/misuse``.
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
  /// The queue that calls the observers, because SQLite may hold any lock while it writes.
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
