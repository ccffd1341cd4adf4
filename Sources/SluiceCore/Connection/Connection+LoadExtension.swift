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
    state.settle()
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

extension Configuration {
  /// Calls the entry point of an extension that the program links for each connection that opens.
  ///
  /// The call is `configuration.addExtension { unsafe sqlite3_vec_init($0, $1, $2) }`. Its functions and modules are there on
  /// the connections of queues and pools, the readers included. Extensions come in the order of these calls and those of
  /// ``prepareConnection(_:)``.
  ///
  /// Compile the extension with `SQLITE_CORE`, so that it calls the SQLite that the program links: the third argument
  /// is nil. Opening throws with the code and message of an extension that fails. ``Connection/loadExtension(path:entryPoint:)``
  /// loads one from a shared library.
  ///
  /// - Parameter entryPoint: The entry point, which runs on the thread that opens the connection. It gets the `sqlite3`
  ///   of the connection, the place for an error message from `sqlite3_mprintf`, and nil.
  @safe
  public mutating func addExtension(
    _ entryPoint:
      @escaping @Sendable (
        _ connection: OpaquePointer, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        _ routines: OpaquePointer?
      ) -> Int32
  ) {
    prepareConnection { connection in
      try unsafe connection.addExtension { unsafe entryPoint($0, $1, nil) }
    }
  }

  /// Calls the entry point of an extension that the program links, as ``addExtension(_:)`` does.
  ///
  /// This form is for a header that includes `sqlite3ext.h`, and so knows the type of the routines.
  @safe
  public mutating func addExtension<Routines>(
    _ entryPoint:
      @escaping @Sendable (
        _ connection: OpaquePointer, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        _ routines: UnsafePointer<Routines>?
      ) -> Int32
  ) {
    prepareConnection { connection in
      try unsafe connection.addExtension { unsafe entryPoint($0, $1, nil) }
    }
  }
}

extension Connection {
  fileprivate func addExtension(
    _ entryPoint: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) throws {
    try unsafe withUnsafeHandle { handle in
      var message: UnsafeMutablePointer<CChar>?
      defer { unsafe sqlite3_free(message) }
      let code = unsafe entryPoint(handle, &message)
      // Success can be SQLITE_OK_LOAD_PERMANENTLY, which has other high bits.
      guard code & 0xff != SQLITE_OK else { return }
      let error = unsafe SQLiteError(code, of: handle)
      guard let message = unsafe message else { throw error }
      throw unsafe SQLiteError(error.code, String(cString: message))
    }
  }
}
