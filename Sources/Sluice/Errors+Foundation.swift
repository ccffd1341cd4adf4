public import Foundation

// Without these conformances, `localizedDescription` would be meaningless, and the code of an `NSError` always 1.

extension SQLiteError: LocalizedError, CustomNSError {
  /// The domain of the error as an `NSError`: `Sluice.SQLiteError`.
  public static var errorDomain: String { "Sluice.SQLiteError" }

  /// The code of the error as an `NSError`: SQLite's extended result code, such as 2067.
  public var errorCode: Int { Int(code.rawValue) }

  /// The text of `localizedDescription`, which is the same as `description`.
  public var errorDescription: String? { description }

  /// The user info of the error as an `NSError`: the text of `localizedDescription`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

extension DeadlineError: LocalizedError, CustomNSError {
  /// The domain of the error as an `NSError`: `Sluice.DeadlineError`.
  public static var errorDomain: String { "Sluice.DeadlineError" }

  /// The code of the error as an `NSError`: 1.
  public var errorCode: Int { 1 }

  /// The text of `localizedDescription`, which is the same as `description`.
  public var errorDescription: String? { description }

  /// The user info of the error as an `NSError`: the text of `localizedDescription`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

extension MigrationError: LocalizedError, CustomNSError {
  /// The domain of the error as an `NSError`: `Sluice.MigrationError`.
  public static var errorDomain: String { "Sluice.MigrationError" }

  /// The code of the error as an `NSError`, from 1 to 7.
  ///
  /// The code is 1 for ``fromTheFuture(_:)``, 2 for ``unknown(_:)``, 3 for ``reordered(applied:listed:)``, 4 for
  /// ``changed(applied:listed:)``, 5 for ``missing(_:)``, 6 for ``unrecorded(userVersion:)``,
  /// and 7 for ``partlyMerged(_:applied:missing:)``.
  public var errorCode: Int {
    switch self {
    case .fromTheFuture: 1
    case .unknown: 2
    case .reordered: 3
    case .changed: 4
    case .missing: 5
    case .unrecorded: 6
    case .partlyMerged: 7
    }
  }

  /// The text of `localizedDescription`, which is the same as `description`.
  public var errorDescription: String? { description }

  /// The user info of the error as an `NSError`: the text of `localizedDescription`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
