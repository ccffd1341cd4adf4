import CSluice

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
