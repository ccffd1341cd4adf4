import CSluice

/// The properties of a function that SQLite relies on.
///
/// By default, SQLite calls the function for each row, and the schema of a file cannot call it. The schema is all
/// that the file brings along: views, triggers, indexes, CHECK constraints, generated columns and defaults. Choose
/// ``usableInSchema`` for a function that your own schema calls, and ``innocuous`` for one that is harmless in any file.
public struct FunctionOptions: OptionSet, Hashable, Sendable {
  /// The flags of C, and one of Sluice for ``usableInSchema``.
  public let rawValue: Int32

  /// The options for these flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The same arguments always give the same result, so one call may serve many rows.
  ///
  /// The corresponding C value is `SQLITE_DETERMINISTIC`.
  public static var deterministic: FunctionOptions {
    FunctionOptions(rawValue: SQLITE_DETERMINISTIC)
  }

  /// The function is harmless: the schema may call it, even a schema that is not trusted.
  ///
  /// A function is harmless if it has no effects, tells no secrets, and takes any argument, because
  /// whoever made the file decides when it is called, and with which arguments.
  ///
  /// The corresponding C value is `SQLITE_INNOCUOUS`.
  public static var innocuous: FunctionOptions { FunctionOptions(rawValue: SQLITE_INNOCUOUS) }

  /// The schema may call the function if ``Configuration/trustedSchema`` is on.
  ///
  /// Without this option and without ``innocuous`` the function is registered as direct-only: the
  /// statements of the program can call it, and temporary views and triggers, but not the schema of a file. SQLite 3.40
  /// has an exception: a CHECK constraint can call it unless it is ``deterministic``.
  ///
  /// The corresponding C value is the absence of `SQLITE_DIRECTONLY`.
  public static var usableInSchema: FunctionOptions { FunctionOptions(rawValue: 1 << 30) }

  /// The function asks for the subtypes of its arguments.
  ///
  /// The corresponding C value is `SQLITE_SUBTYPE`.
  public static var subtype: FunctionOptions { FunctionOptions(rawValue: SQLITE_SUBTYPE) }

  /// The function sets the subtype of its result; SQLite from 3.45 on wants to know.
  ///
  /// The corresponding C value is `SQLITE_RESULT_SUBTYPE`.
  public static var resultSubtype: FunctionOptions { FunctionOptions(rawValue: 0x0100_0000) }

  /// The flags for C, without bits that are none of these options, such as an encoding.
  var flags: Int32 {
    let known: FunctionOptions = [.deterministic, .innocuous, .subtype, .resultSubtype]
    let isDirectOnly = isDisjoint(with: [.innocuous, .usableInSchema])
    return rawValue & known.rawValue | (isDirectOnly ? SQLITE_DIRECTONLY : 0)
  }
}
