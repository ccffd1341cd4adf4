import CSluice
import Dispatch
import Synchronization

/// A message in the log of SQLite.
public struct LogEntry: Hashable, Sendable {
  /// The code: a failure, or ``ResultCode/notice`` or ``ResultCode/warning``.
  public let code: ResultCode
  /// The message of SQLite, for developers.
  public let message: String
}

extension SQLiteLibrary {
  /// Calls `body` with what SQLite writes into its log, for all connections together.
  ///
  /// ```swift
  /// try SQLiteLibrary.onLog { entry in print("SQLite:", entry.message, entry.code) }
  /// ```
  ///
  /// SQLite 3.40 takes this only before it starts, which it does with the first connection: the first call
  /// has to come before that, or throws ``ResultCode/misuse``; newer versions take it later, too. Once it has worked,
  /// more observers can be added at any time.
  ///
  /// SQLite writes in the middle of its work, where it cannot be used. So `body` is called a moment
  /// later, one message after another, on a thread of its own, and can use SQLite. A process that ends
  /// may not have told of the last ones. Messages can hold SQL and paths of files.
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

  /// Writes a message into the log of SQLite, which keeps a few hundred bytes of it.
  ///
  /// It goes to the observers of ``onLog(_:)``; without any, it is lost. One that contains a NUL throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_log`.
  public static func log(_ code: ResultCode, _ message: String) throws {
    try refuseNUL(in: message, "The message")
    unsafe sluice_log(code.rawValue, message)
  }
}

/// Those who listen to the log.
private struct Log {
  var isInstalled = false
  var observers: [(token: HookToken, body: @Sendable (LogEntry) -> Void)] = []

  static let shared = Locked(Log())
  /// Where they are told: SQLite may hold any lock while it writes.
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
