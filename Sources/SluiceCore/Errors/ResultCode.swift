import CSluice

/// What kind of failure an error is, as precisely as SQLite knows.
///
/// A code is an extended one where SQLite has one: ``constraintUnique`` says more than
/// ``constraint``. A `switch` over a code matches both, so the order of the cases decides:
///
/// ```swift
/// switch error.code {
/// case .constraintUnique: print("There is one already.")
/// case .constraint: print("Another constraint forbids it.")
/// default: throw error
/// }
/// ```
///
/// The corresponding C values are the `SQLITE_*` result codes.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The number of the code in C.
  public let rawValue: Int32

  /// The code of this number, which need not be one that has a name here.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The kind of failure without its details: that of ``constraintUnique`` is ``constraint``.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

  /// Whether `code` is `pattern`, or one of the codes that refine it.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == code || pattern == code.primary
  }

  /// Whether `error` is an ``SQLiteError`` with this code, or with one that refines it.
  ///
  /// This is what makes `catch SQLiteError.busy` work.
  public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
    guard let error = error as? SQLiteError else { return false }
    return pattern ~= error.code
  }

  func extended(_ number: Int32) -> ResultCode { ResultCode(rawValue: rawValue | number << 8) }
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's own words for the code, followed by its number.
  ///
  /// The corresponding C function is `sqlite3_errstr`.
  public var description: String {
    unsafe "\(String(cString: sqlite3_errstr(rawValue))) (\(rawValue))"
  }
}
