import CSluice

extension Blob {
  /// A copy of some bytes, or of all from `offset` on.
  ///
  /// A range outside the blob throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func read(at offset: Int = 0, count: Int? = nil) throws -> [UInt8] {
    let count = count ?? max(0, self.count - max(0, offset))
    try check(offset, count)
    return try unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      try unsafe read(
        into: UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: count), offset)
      initializedCount = count
    }
  }

  /// Fills `bytes` with those from `offset` on, without memory for them.
  ///
  /// What lies outside of the blob throws ``ResultCode/range``, and changes no byte.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func read(into bytes: inout MutableSpan<UInt8>, at offset: Int = 0) throws {
    try check(offset, bytes.count)
    try unsafe bytes.withUnsafeMutableBytes { bytes in try unsafe read(into: bytes, offset) }
  }

  /// Lends the blob to `body` piece by piece, in memory for one piece.
  ///
  /// ```swift
  /// try blob.forEachChunk(of: 65_536) { bytes in
  ///   checksum.add(bytes)
  /// }
  /// ```
  ///
  /// All pieces but the last have `size` bytes; fewer than one throws ``ResultCode/range``. If `body` throws,
  /// that ends it, and if `body` moves the blob to another row, it throws ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_blob_read`.
  public func forEachChunk(of size: Int = 65_536, _ body: (Span<UInt8>) throws -> Void) throws {
    guard size > 0 else { throw SQLiteError(.range, "A piece of \(size) bytes is no piece") }
    // An empty one is asked for nothing, to find out whether it can be read.
    if count == 0 { _ = try read() }
    var buffer = [UInt8](repeating: 0, count: min(size, count))
    let start = moves
    var offset = 0
    while offset < count {
      let length = min(size, count - offset)
      try unsafe buffer.withUnsafeMutableBytes { bytes in
        try unsafe read(
          into: UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: length), offset)
      }
      try body(buffer.span.extracting(..<length))
      guard moves == start else {
        throw SQLiteError(.misuse, "The blob was moved to another row while it was read")
      }
      offset += length
    }
  }

  private func read(into bytes: UnsafeMutableRawBufferPointer, _ offset: Int) throws {
    try unsafe use { handle in
      // Both fit: a blob is smaller than that.
      unsafe sqlite3_blob_read(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
    }
    connection.state.drainOutside()
  }
}

extension Blob {
  /// Refuses what is not inside of the blob, once it is known that the blob can be used.
  func check(_ offset: Int, _ count: Int) throws {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      // One that is closed or has expired says that first.
      try unsafe use { _ in SQLITE_OK }
      throw SQLiteError(
        .range, "\(count) bytes at \(offset) are not inside of a blob of \(self.count) bytes")
    }
  }
}
