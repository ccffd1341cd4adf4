import CSluice

/// The parameters of the URI that a database was opened with, which a program may add to those of SQLite's.
///
/// An unknown database throws ``ResultCode/range``. One that was opened by a path
/// has no parameters, nor has one in memory.
extension Connection {
  /// The names of all parameters, in order.
  ///
  /// ```swift
  /// let connection = try Connection(uri: "file:tenants.db?mode=rwc&tenant=7")
  /// for name in try connection.uriParameterNames() {
  ///   print(name, try connection.uriParameter(name) ?? "")
  /// }
  /// ```
  ///
  /// The corresponding C function is `sqlite3_uri_key`.
  public func uriParameterNames(database: String = "main") throws -> [String] {
    let file = try unsafe fileName(of: database)
    var names: [String] = []
    while let name = unsafe sqlite3_uri_key(file, Int32(clamping: names.count)) {
      names.append(try unsafe text(name))
    }
    return names
  }

  /// The value of a parameter, or nil if the URI has none of this name.
  ///
  /// The corresponding C function is `sqlite3_uri_parameter`.
  public func uriParameter(_ name: String, database: String = "main") throws -> String? {
    let file = try unsafe parameterFile(name, database)
    guard let value = unsafe sqlite3_uri_parameter(file, name) else { return nil }
    return try unsafe text(value)
  }

  /// Whether a parameter is `yes`, `true`, `on` or a number but 0; `default` if it is missing, or none of
  /// these nor their contrary.
  ///
  /// The corresponding C function is `sqlite3_uri_boolean`.
  public func uriBoolean(
    _ name: String, default: Bool = false, database: String = "main"
  ) throws -> Bool {
    let file = try unsafe parameterFile(name, database)
    return unsafe sqlite3_uri_boolean(file, name, `default` ? 1 : 0) != 0
  }

  /// The number that a parameter is, or `default` if it is missing or no number of 64 bits.
  ///
  /// The corresponding C function is `sqlite3_uri_int64`.
  public func uriInteger(
    _ name: String, default: Int64 = 0, database: String = "main"
  ) throws -> Int64 {
    let file = try unsafe parameterFile(name, database)
    return unsafe sqlite3_uri_int64(file, name, `default`)
  }

  private func parameterFile(_ name: String, _ database: String) throws -> UnsafePointer<CChar>? {
    try refuseNUL(in: name, "The name of the parameter")
    return try unsafe fileName(of: database)
  }

  /// The name of a file as SQLite keeps it, with the parameters behind it.
  private func fileName(of database: String) throws -> UnsafePointer<CChar>? {
    _ = try transactionState(schema: database)
    // The one for temporary tables has none before it is used; SQLite takes that for no parameters.
    return unsafe sqlite3_db_filename(try handle(), database)
  }

  private func text(_ start: UnsafePointer<CChar>) throws -> String {
    guard let text = unsafe String(validatingCString: start) else {
      throw SQLiteError(.mismatch, "A parameter of the URI is not UTF-8")
    }
    return text
  }
}
