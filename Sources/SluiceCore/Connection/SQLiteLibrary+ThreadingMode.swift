import CSluice

extension SQLiteLibrary {
  /// The default threading mode of a connection; nil for a single-threaded library.
  ///
  /// Opening a connection throws if the library was built for a single thread.
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
