import CSluice

extension Blob {
  /// Writes `bytes` over those that begin at `offset`.
  ///
  /// What lies outside of the blob throws ``ResultCode/range``, and writes nothing. A blob that was not
  /// opened to be written throws ``ResultCode/readOnly``.
  ///
  /// The corresponding C function is `sqlite3_blob_write`.
  public func write(_ bytes: Span<UInt8>, at offset: Int = 0) throws {
    try check(offset, bytes.count)
    guard !isReadOnly else {
      // One that is closed or has expired says that first.
      try unsafe use { _ in SQLITE_OK }
      throw SQLiteError(.readOnly, "The blob was opened to be read only")
    }
    try unsafe bytes.withUnsafeBytes { bytes in
      try unsafe use { handle in
        // Both fit: a blob is smaller than that.
        unsafe sqlite3_blob_write(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
      }
    }
    connection.state.tracker?.note(rowsOf: place.table, schema: place.schema)
    connection.state.drainOutside()
  }

  /// Writes `bytes` over those that begin at `offset`, as ``write(_:at:)-(Span<UInt8>,_)`` does.
  public func write(_ bytes: [UInt8], at offset: Int = 0) throws {
    try write(bytes.span, at: offset)
  }

  /// Writes pieces one after the other, in memory for one piece, and returns where the last one ends.
  ///
  /// One that would go beyond the end throws ``ResultCode/range``; those before it are written.
  ///
  /// The corresponding C function is `sqlite3_blob_write`.
  @discardableResult
  public func write(chunks: some Sequence<[UInt8]>, at offset: Int = 0) throws -> Int {
    var end = offset
    for chunk in chunks {
      try write(chunk.span, at: end)
      end += chunk.count
    }
    return end
  }
}
