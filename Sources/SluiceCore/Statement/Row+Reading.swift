public import CSluice

/// Fast paths for reading values.
///
/// A value of the requested storage class is read inline, in the calling module. Conversions and errors require
/// a function call.
extension Row {
  /// Returns whether the row is current, and the column exists and can be read without a mutex.
  @inlinable @inline(__always)
  func isOpen(_ index: Int) -> Bool {
    generation == statement.currentRow.position
      && UInt(bitPattern: index) < UInt(bitPattern: statement.currentRow.openWidth)
  }

  /// Returns the value in a column for which `isOpen` is true.
  @inlinable @inline(__always)
  func openColumn(_ index: Int) -> OpaquePointer? {
    // The result is never nil. It is optional only because unwrapping it would cost an instruction.
    unsafe sluice_column(statement.handle, Int32(truncatingIfNeeded: index))
  }

  @inlinable @inline(__always)
  func read<T: SQLValue>(at index: Int) throws -> T {
    guard let value = T(databaseValue: try value(at: index)) else { throw lossy(index, T.self) }
    return value
  }

  @inlinable @inline(__always)
  func readInteger<T: FixedWidthInteger & SQLValue>(at index: Int) throws -> T {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_integer_type {
        guard let value = T(exactly: unsafe sluice_integer(column)) else {
          throw lossy(index, T.self)
        }
        return value
      }
    }
    return try read(at: index)
  }

  @inlinable @inline(__always)
  func readInt64(at index: Int) throws -> Int64 {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_integer_type { return unsafe sluice_integer(column) }
    }
    return try convertInt64(at: index)
  }

  @usableFromInline @inline(never)
  func convertInt64(at index: Int) throws -> Int64 { try read(at: index) }

  @inlinable @inline(__always)
  func readInt(at index: Int) throws -> Int {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_integer_type,
        let value = Int(exactly: unsafe sluice_integer(column))
      {
        return value
      }
    }
    return try convertInt(at: index)
  }

  @usableFromInline @inline(never)
  func convertInt(at index: Int) throws -> Int { try read(at: index) }

  @inlinable @inline(__always)
  func readDouble(at index: Int) throws -> Double {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_real_type { return unsafe sluice_real(column) }
    }
    return try convertDouble(at: index)
  }

  @usableFromInline @inline(never)
  func convertDouble(at index: Int) throws -> Double { try read(at: index) }

  @usableFromInline
  func readString(at index: Int) throws -> String {
    guard isOpen(index) else { return try convertString(at: index) }
    let column = unsafe openColumn(index)
    guard unsafe sluice_type(column) == sluice_text_type else {
      return try convertString(at: index)
    }
    do {
      return try unsafe string(sluice_text(column), Int(sluice_count(column)))
    } catch {
      throw failure(error, index)
    }
  }

  @inline(never)
  private func convertString(at index: Int) throws -> String { try read(at: index) }

  @inlinable @inline(__always)
  func readNull(at index: Int) throws -> Bool {
    if isOpen(index) { return unsafe sluice_type(openColumn(index)) == sluice_null_type }
    return try lookForNull(at: index)
  }

  @usableFromInline @inline(never)
  func lookForNull(at index: Int) throws -> Bool {
    try column(index).storageClass == .null
  }

  @inlinable @inline(__always)
  func readBytes(at index: Int) throws -> [UInt8] {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_blob_type, let start = unsafe sluice_blob(column) {
        return unsafe Array(
          UnsafeRawBufferPointer(start: start, count: Int(sluice_count(column))))
      }
    }
    return try convertBytes(at: index)
  }

  @usableFromInline @inline(never)
  func convertBytes(at index: Int) throws -> [UInt8] {
    switch try storageClass(at: index) {
    case .blob, .text: try blob(at: index)
    case .integer, .real, .null: try read(at: index)
    }
  }

  /// Returns the bytes of a text column without copying them.
  @inlinable @inline(__always)
  func textBytes(at index: Int) throws -> UnsafeBufferPointer<UInt8> {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_text_type, let start = unsafe sluice_text(column) {
        return unsafe UnsafeBufferPointer(
          start: start.assumingMemoryBound(to: UInt8.self), count: Int(sluice_count(column)))
      }
    }
    return try unsafe bytes(of: .text, at: index)
  }

  /// Returns the bytes of a blob column without copying them.
  @inlinable @inline(__always)
  func blobBytes(at index: Int) throws -> UnsafeBufferPointer<UInt8> {
    if isOpen(index) {
      let column = unsafe openColumn(index)
      if unsafe sluice_type(column) == sluice_blob_type, let start = unsafe sluice_blob(column) {
        return unsafe UnsafeBufferPointer(
          start: start.assumingMemoryBound(to: UInt8.self), count: Int(sluice_count(column)))
      }
    }
    return try unsafe bytes(of: .blob, at: index)
  }

  @usableFromInline @inline(never)
  func bytes(of wanted: StorageClass, at index: Int) throws
    -> UnsafeBufferPointer<UInt8>
  {
    let column = try column(index)
    do { return try unsafe column.bytes(of: wanted) } catch { throw failure(error, index) }
  }
}
