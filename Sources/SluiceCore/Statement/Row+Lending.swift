/// Columns without a copy: the bytes are lent, and the compiler keeps them inside the closure.
///
/// While bytes are lent, their statement cannot be stepped, reset or bound, and its connection
/// cannot be closed: each throws ``ResultCode/misuse``.
extension Row {
  /// Lends the UTF-8 of a column that holds text.
  ///
  /// It is not checked to be UTF-8, which a database file can fail to contain.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  @inlinable
  public func withUTF8<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe lend(textBytes(at: index), body)
  }

  /// Lends the UTF-8 of a column that holds text, as ``withUTF8(at:_:)`` does.
  @inlinable
  public func withUTF8<T, E: Error>(
    named name: String, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try withUTF8(at: index(named: name), body)
  }

  /// Lends the bytes of a column that holds a blob.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  @inlinable
  public func withBytes<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe lend(blobBytes(at: index), body)
  }

  /// Lends the bytes of a column that holds a blob, as ``withBytes(at:_:)`` does.
  @inlinable
  public func withBytes<T, E: Error>(
    named name: String, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try withBytes(at: index(named: name), body)
  }

  @inlinable @inline(__always)
  func lend<T, E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Span<UInt8>) throws(E) -> T
  ) throws(E) -> T {
    unsafe statement.holds &+= 1
    defer { unsafe statement.holds &-= 1 }
    return try unsafe body(bytes.span)
  }
}
