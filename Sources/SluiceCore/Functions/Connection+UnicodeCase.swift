extension Connection {
  /// Puts functions that know all of Unicode in the place of SQLite's `upper` and `lower`, which know
  /// the 26 letters of ASCII.
  ///
  /// They go by no language: `upper('straße')` is `STRASSE`, and `lower('I')` is `i`. Numbers become
  /// text, NULL stays NULL, and text that is not UTF-8 throws ``ResultCode/mismatch``.
  ///
  /// Every connection that writes to the database needs them if an index, a generated column or a
  /// constraint uses them: what SQLite's own functions have put there before is put right by
  /// `REINDEX`.
  ///
  /// SQLite's own functions do not come back on this connection: ``removeFunction(_:arity:)`` leaves it without
  /// `upper` or `lower`.
  public func addUnicodeCaseFunctions() throws {
    try addTextFunction("upper") { $0.uppercased() }
    try addTextFunction("lower") { $0.lowercased() }
  }

  private func addTextFunction(
    _ name: String, _ change: @escaping (String) -> String
  ) throws {
    try addFunction(name, arity: 1, options: [.deterministic, .innocuous]) { values in
      guard try values.storageClass(at: 0) != .null else { return .null }
      return .text(change(try values.text(at: 0)))
    }
  }
}
