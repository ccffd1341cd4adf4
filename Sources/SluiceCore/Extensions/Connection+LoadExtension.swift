import CSluice

extension Connection {
  /// Loads an extension of SQLite from a shared library, whose functions and tables this connection has then.
  ///
  /// A library runs any code: load none that you would not link. It can be loaded by this call alone, and not by SQL,
  /// unless ``ConnectionOption/loadableExtensions`` or C code says otherwise.
  ///
  /// A path without a slash is looked for where the system has its libraries, and one without the ending of
  /// a library with that as well. Without an `entryPoint` it is `sqlite3_extension_init`, or one that SQLite makes
  /// of the name of the file.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/loadableExtensions``. All else
  /// that goes wrong throws ``ResultCode/error``, in the words of the system's loader or of the extension.
  ///
  /// The corresponding C function is `sqlite3_load_extension`.
  public func loadExtension(path: String, entryPoint: String? = nil) throws {
    try SQLiteLibrary.require(.loadableExtensions)
    try refuseStatements()
    try refuseNUL(in: path, "The path")
    if let entryPoint { try refuseNUL(in: entryPoint, "The name of the entry point") }
    // To the loader, no name is the program itself.
    guard !path.isEmpty else { throw SQLiteError(.cantOpen, "The path of the extension is empty") }
    let wasOn = try option(.loadableExtensions)
    if !wasOn { try setOption(.loadableExtensions, true) }
    do { try load(path, entryPoint) } catch {
      // The first error is the one to report.
      if !wasOn { try? setOption(.loadableExtensions, false) }
      throw error
    }
    if !wasOn { try setOption(.loadableExtensions, false) }
    clearStatementCache()
    state.drainOutside()
  }

  private func load(_ path: String, _ entryPoint: String?) throws {
    var message: UnsafeMutablePointer<CChar>?
    defer { unsafe sqlite3_free(message) }
    do {
      try unsafe callSQLite { handle in
        unsafe sluice_load_extension(handle, path, entryPoint, &message)
      }
    } catch let error as SQLiteError {
      guard let message = unsafe message else { throw error }
      throw unsafe SQLiteError(error.code, String(cString: message))
    }
  }
}
