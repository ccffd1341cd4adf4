import CSluice

extension SQLiteLibrary {
  /// Returns the first bytes of a file; zeros follow those of a shorter file.
  ///
  /// SQLite opens and closes the file, without a lock. If the process itself closed the file, the process would lose all its
  /// locks on the file, including those of the connections that use it as a database.
  ///
  /// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened.
  package static func beginning(ofFile path: String, count: Int) throws -> [UInt8] {
    var handle: OpaquePointer?
    defer { unsafe sqlite3_close_v2(handle) }
    var code = unsafe sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
    var file: UnsafeMutablePointer<sqlite3_file>?
    if code == SQLITE_OK {
      code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    }
    guard code == SQLITE_OK, let file = unsafe file,
      let read = unsafe file.pointee.pMethods?.pointee.xRead
    else { throw SQLiteError(.cantOpen, "\(path) cannot be opened") }
    var bytes = [UInt8](repeating: 0, count: count)
    code = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe read(file, bytes.baseAddress, Int32(bytes.count), 0)
    }
    guard code == SQLITE_OK || code == ResultCode.ioErrorShortRead.rawValue else {
      throw SQLiteError(ResultCode(rawValue: code), "\(path) cannot be read")
    }
    return bytes
  }
}
