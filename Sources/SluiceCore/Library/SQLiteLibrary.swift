import CSluice

/// The SQLite that the program is linked with: what it is, and what it does for all connections.
///
/// ```swift
/// print(SQLiteLibrary.version)  // 3.40.1
/// ```
public enum SQLiteLibrary {
  /// The version in words, such as `3.40.1`.
  ///
  /// The corresponding C function is `sqlite3_libversion`.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// The version as a number that can be compared, such as 3040001 for 3.40.1.
  ///
  /// The corresponding C function is `sqlite3_libversion_number`.
  public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// The date and the hash of the source that the library was built from.
  ///
  /// The corresponding C function is `sqlite3_sourceid`.
  public static var sourceID: String { unsafe String(cString: sqlite3_sourceid()) }

  /// The options that the library was built with, such as `ENABLE_FTS5`; none if it was built to
  /// keep them to itself.
  ///
  /// The corresponding C function is `sqlite3_compileoption_get`.
  public static var compileOptions: [String] {
    var options: [String] = []
    while let option = unsafe sluice_compileoption_get(Int32(options.count)) {
      options.append(unsafe String(cString: option))
    }
    return options
  }

  /// Which threads may use a connection, if nothing else is said when it opens; nil for a library
  /// that was built for a single thread, with which no connection opens.
  ///
  /// The corresponding C function is `sqlite3_threadsafe`.
  public static var threadingMode: Configuration.ThreadingMode? {
    switch sqlite3_threadsafe() {
    case 0: nil
    case 2: .multiThread
    default: .serialized
    }
  }
}

extension SQLiteLibrary {
  /// The words that have a meaning in SQL, in capitals.
  ///
  /// The corresponding C function is `sqlite3_keyword_name`.
  public static var keywords: [String] {
    (0..<sqlite3_keyword_count()).compactMap { index in
      var name: UnsafePointer<CChar>?
      var count: Int32 = 0
      guard unsafe sqlite3_keyword_name(index, &name, &count) == SQLITE_OK,
        let name = unsafe name
      else { return nil }
      let text = unsafe UnsafeRawBufferPointer(start: name, count: Int(count))
      return unsafe String(decoding: text, as: UTF8.self)
    }
  }

  /// Whether a word has a meaning in SQL, in capitals or not.
  ///
  /// Some of these words can be names all the same; in double quotes, all can.
  ///
  /// The corresponding C function is `sqlite3_keyword_check`.
  public static func isKeyword(_ word: String) -> Bool {
    guard let count = Int32(exactly: word.utf8.count) else { return false }
    return unsafe word.withCString { unsafe sqlite3_keyword_check($0, count) != 0 }
  }

  /// Bytes from SQLite's source of random numbers, which is good enough for keys of rows, and not
  /// for secrets.
  ///
  /// A negative `count` throws ``ResultCode/range``, and one above a thousand million, which SQLite
  /// could not store, ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_randomness`.
  public static func randomBytes(count: Int) throws -> [UInt8] {
    guard count >= 0 else { throw SQLiteError(.range, "\(count) is less than no bytes") }
    guard count <= 1_000_000_000 else {
      throw SQLiteError(.tooBig, "\(count) is more bytes than SQLite can store")
    }
    try start()
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      unsafe sqlite3_randomness(Int32(count), bytes.baseAddress)
      initializedCount = count
    }
  }
}
