import CSluice

/// Functions of SQLite for text, without a database. A NUL throws ``ResultCode/misuse``, because C would take it for
/// the end of the text.
extension SQLiteLibrary {
  /// Whether text ends with a whole statement: with a semicolon that is not inside of a string, a name, a
  /// comment or a trigger.
  ///
  /// This is for those who read SQL line by line; whether the statement is right, only compiling it tells.
  ///
  /// The corresponding C function is `sqlite3_complete`.
  public static func isComplete(sql: String) throws -> Bool {
    try refuseNUL(in: sql, "The SQL")
    return unsafe sqlite3_complete(sql) == 1
  }

  /// Whether text is like a pattern, as `LIKE` has it: `%` is any text, `_` any character, and the letters from A
  /// to Z are those from a to z.
  ///
  /// What follows `escape` in the pattern stands for itself. A pattern with more than 1,000 `%` throws
  /// ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_strlike`.
  public static func matches(
    _ text: String, like pattern: String, escape: Unicode.Scalar? = nil
  ) throws -> Bool {
    try check(text, pattern, "%")
    return unsafe sqlite3_strlike(pattern, text, escape?.value ?? 0) == 0
  }

  /// Whether text is like a pattern, as `GLOB` has it: `*` is any text, `?` any character, and `[a-z]` one of some.
  ///
  /// A pattern with more than 1,000 `*` throws ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_strglob`.
  public static func matches(_ text: String, glob pattern: String) throws -> Bool {
    try check(text, pattern, "*")
    return unsafe sqlite3_strglob(pattern, text) == 0
  }

  /// Whether two names, or the first bytes of their UTF-8, are the same to SQLite, for which the letters from A to
  /// Z are those from a to z.
  ///
  /// A negative number of bytes throws ``ResultCode/range``.
  ///
  /// The corresponding C functions are `sqlite3_stricmp` and `sqlite3_strnicmp`.
  public static func isSameName(
    _ first: String, as second: String, bytes: Int? = nil
  ) throws -> Bool {
    try refuseNUL(in: first, "The name")
    try refuseNUL(in: second, "The other name")
    guard let bytes else { return unsafe sqlite3_stricmp(first, second) == 0 }
    guard bytes >= 0 else {
      throw SQLiteError(.range, "The byte count must not be negative (got \(bytes))")
    }
    return unsafe sqlite3_strnicmp(first, second, Int32(clamping: bytes)) == 0
  }

  private static func check(_ text: String, _ pattern: String, _ wildcard: Unicode.Scalar) throws {
    try refuseNUL(in: text, "The text")
    try refuseNUL(in: pattern, "The pattern")
    // SQLite calls itself for each of them, and the stack of a thread may be small.
    guard pattern.unicodeScalars.count(where: { $0 == wildcard }) <= 1_000 else {
      throw SQLiteError(.tooBig, "The pattern has more than 1,000 wildcards \(wildcard)")
    }
  }
}

extension SQLiteLibrary {
  /// Whether the library was built with an option, such as `ENABLE_FTS5` or `THREADSAFE=1`.
  ///
  /// The prefix `SQLITE_` may be there or not. A library that was built to keep its options to itself has none.
  ///
  /// The corresponding C function is `sqlite3_compileoption_used`.
  public static func isBuilt(with option: String) -> Bool {
    // C would take a NUL for the end of the name.
    guard !option.utf8.contains(0) else { return false }
    return unsafe sluice_compileoption_used(option) != 0
  }
}
