import CSQLite

/// What SQLite may assume about a function.
///
/// By default it assumes nothing: a function is called anew for each row, and not from the schema.
public struct FunctionOptions: OptionSet, Hashable, Sendable {
  /// The flags as C has them.
  public let rawValue: Int32

  /// The options for flags of C.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The same arguments always give the same result, so one call may serve many rows.
  ///
  /// The corresponding C value is `SQLITE_DETERMINISTIC`.
  public static var deterministic: FunctionOptions {
    FunctionOptions(rawValue: SQLITE_DETERMINISTIC)
  }

  /// The function is never called from views, triggers, indexes and the like, not even if the
  /// schema is trusted: right for all that has effects or tells secrets.
  ///
  /// The corresponding C value is `SQLITE_DIRECTONLY`.
  public static var directOnly: FunctionOptions { FunctionOptions(rawValue: SQLITE_DIRECTONLY) }

  /// The function is harmless, so views, triggers, indexes and the like may call it even if the
  /// schema is not trusted, as it is not by default.
  ///
  /// The corresponding C value is `SQLITE_INNOCUOUS`.
  public static var innocuous: FunctionOptions { FunctionOptions(rawValue: SQLITE_INNOCUOUS) }

  /// The function asks for the subtypes of its arguments.
  ///
  /// The corresponding C value is `SQLITE_SUBTYPE`.
  public static var subtype: FunctionOptions { FunctionOptions(rawValue: SQLITE_SUBTYPE) }

  /// The function sets the subtype of its result; SQLite from 3.45 on wants to know.
  ///
  /// The corresponding C value is `SQLITE_RESULT_SUBTYPE`.
  public static var resultSubtype: FunctionOptions { FunctionOptions(rawValue: 0x0100_0000) }

  /// The flags for C, without what is none of these options, such as an encoding.
  var flags: Int32 {
    rawValue
      & FunctionOptions([.deterministic, .directOnly, .innocuous, .subtype, .resultSubtype])
      .rawValue
  }
}
