import CSluice

extension Connection {
  /// Loads an SQLite extension from a shared library, and adds its functions and tables to this connection.
  ///
  /// A library can run any code, so load only libraries that you would also link. SQL cannot load a library; only
  /// this method can, unless ``ConnectionOption/loadableExtensions`` or C code specifies otherwise.
  ///
  /// - Parameters:
  ///   - path: The path of the library. The system searches its library folders for a path without a slash. If a
  ///     path lacks the suffix of a library, SQLite also tries it with the suffix.
  ///   - entryPoint: The name of the entry point. If nil, the name is `sqlite3_extension_init`, or a name that
  ///     SQLite derives from the filename.
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/loadableExtensions``. Any
  ///   other failure throws ``ResultCode/error``, with the message of the system's loader or of the extension.
  ///
  /// The corresponding C function is `sqlite3_load_extension`.
  public func loadExtension(path: String, entryPoint: String? = nil) throws {
    try SQLiteLibrary.require(.loadableExtensions)
    try refuseStatements()
    try refuseNUL(in: path, "The path")
    if let entryPoint { try refuseNUL(in: entryPoint, "The name of the entry point") }
    // The loader treats an empty name as the program itself.
    guard !path.isEmpty else { throw SQLiteError(.cantOpen, "The path of the extension is empty") }
    let wasOn = try option(.loadableExtensions)
    if !wasOn { try setOption(.loadableExtensions, true) }
    do { try load(path, entryPoint) } catch {
      // An error here is ignored, because the first error is the one to report.
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
  /// Adds an extension that is linked into the program; its entry point runs for each connection that opens.
  ///
  /// For example, call `configuration.addExtension { unsafe sqlite3_vec_init($0, $1, $2) }`. The functions and
  /// modules of the extension are available on the connections of queues and pools, including the readers. The entry
  /// points, and the closures of ``prepareConnection(_:)``, run in the order in which they were added.
  ///
  /// Compile the extension with `SQLITE_CORE`, so that it calls the SQLite that is linked into the program. Without
  /// this macro, it would use the third argument, which is nil. If an extension fails, opening the connection throws
  /// the extension's code and message. To load an extension from a shared library, use
  /// ``Connection/loadExtension(path:entryPoint:)``.
  ///
  /// - Parameter entryPoint: The entry point, which runs on the thread that opens the connection. Its arguments are
  ///   the connection's `sqlite3` handle, a pointer through which it can return an error message that
  ///   `sqlite3_mprintf` allocated, and nil.
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

  /// Adds an extension that is linked into the program, as ``addExtension(_:)`` does.
  ///
  /// Use this overload if the extension's header includes `sqlite3ext.h`, and so declares the type of the third
  /// argument.
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
      // Success can be SQLITE_OK_LOAD_PERMANENTLY, which differs from SQLITE_OK in its high bits.
      guard code & 0xff != SQLITE_OK else { return }
      let error = unsafe SQLiteError(code, of: handle)
      guard let message = unsafe message else { throw error }
      throw unsafe SQLiteError(error.code, String(cString: message))
    }
  }
}
