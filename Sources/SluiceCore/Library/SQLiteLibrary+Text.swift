import CSluice

/// SQLite's text functions, which need no database.
///
/// Text that contains a NUL throws ``ResultCode/misuse``, because C would treat the NUL as the end of the text.
extension SQLiteLibrary {
  /// Returns whether text ends with a complete statement.
  ///
  /// A complete statement ends with a semicolon that is not inside a string, a name, a comment or a trigger. Use
  /// this method to read SQL line by line. Only compiling a statement shows whether it is valid.
  ///
  /// The corresponding C function is `sqlite3_complete`.
  public static func isComplete(sql: String) throws -> Bool {
    try refuseNUL(in: sql, "The SQL")
    return unsafe sqlite3_complete(sql) == 1
  }

  /// Returns whether text matches a `LIKE` pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches any character, and the letters A to Z match regardless of
  /// case. A character that follows `escape` matches only itself. A pattern with more than 1,000 `%` throws
  /// ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_strlike`.
  public static func matches(
    _ text: String, like pattern: String, escape: Unicode.Scalar? = nil
  ) throws -> Bool {
    try check(text, pattern, "%")
    return unsafe sqlite3_strlike(pattern, text, escape?.value ?? 0) == 0
  }

  /// Returns whether text matches a `GLOB` pattern.
  ///
  /// In the pattern, `*` matches any text, `?` matches any character, and `[a-z]` matches one character of a set or
  /// range. A pattern with more than 1,000 `*` throws ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_strglob`.
  public static func matches(_ text: String, glob pattern: String) throws -> Bool {
    try check(text, pattern, "*")
    return unsafe sqlite3_strglob(pattern, text) == 0
  }

  /// Returns whether SQLite treats two names as the same.
  ///
  /// SQLite ignores the case of the letters A to Z. If `bytes` is not nil, the method compares only the first `bytes`
  /// bytes of each name's UTF-8. A negative number of bytes throws ``ResultCode/range``.
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
    // SQLite recurses for each wildcard, and a thread's stack may be small.
    guard pattern.unicodeScalars.count(where: { $0 == wildcard }) <= 1_000 else {
      throw SQLiteError(.tooBig, "The pattern has more than 1,000 wildcards \(wildcard)")
    }
  }
}

extension SQLiteLibrary {
  /// Returns whether the library was built with an option, such as `ENABLE_FTS5` or `THREADSAFE=1`.
  ///
  /// The prefix `SQLITE_` is optional. The result is false if the library was built not to report its options.
  ///
  /// The corresponding C function is `sqlite3_compileoption_used`.
  public static func isBuilt(with option: String) -> Bool {
    // C would treat a NUL as the end of the name.
    guard !option.utf8.contains(0) else { return false }
    return unsafe sluice_compileoption_used(option) != 0
  }
}
