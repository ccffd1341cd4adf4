extension SQLiteLibrary {
  /// Whether the linked SQLite has `capability`.
  ///
  /// ```swift
  /// if SQLiteLibrary.has(.fts5) {
  ///   try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
  /// }
  /// ```
  public static func has(_ capability: SQLiteCapability) -> Bool { capability.isThere }

  /// Throws ``ResultCode/notFound`` if the linked SQLite does not have `capability`, with a message that
  /// says which build does.
  ///
  /// What needs a capability does this by itself. A program that cannot do without one can do it when
  /// it starts.
  public static func require(_ capability: SQLiteCapability) throws {
    guard !has(capability) else { return }
    throw SQLiteError(
      .notFound,
      "The linked SQLite \(version) lacks \(capability): it takes a build with \(capability.build)")
  }
}
