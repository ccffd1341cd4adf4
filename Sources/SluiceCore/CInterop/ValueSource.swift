import CSluice

/// An unread value inside SQLite: a column of a row, or an argument of a function.
///
/// Borrowed bytes are valid until the statement steps again or is reset, or until the function returns. Until then,
/// they do not move, because no member makes SQLite convert the value.
protocol ValueSource {
  var storageClass: StorageClass { get }
  /// The value as an integer, by SQLite's conversion rules.
  var integer: Int64 { get }
  /// The value as a real, by SQLite's conversion rules.
  var real: Double { get }
  /// The UTF-8 bytes of a TEXT value; nil if SQLite runs out of memory.
  var textBytes: UnsafeBufferPointer<UInt8>? { get }
  /// The bytes of a BLOB value; nil if SQLite runs out of memory.
  var blobBytes: UnsafeBufferPointer<UInt8>? { get }
  /// Returns a copy that the caller may convert in place and must free; nil if SQLite runs out of memory.
  func duplicate() -> OpaquePointer?
}

/// A column of a statement's current row.
@safe struct Column: ValueSource {
  let statement: OpaquePointer
  let index: Int32
  /// Whether SQLite protects each call with a mutex.
  let isGuarded: Bool
  /// SQLite's object for the column's value, which is looked up only once.
  private let value: OpaquePointer?

  init(_ statement: OpaquePointer, _ index: Int32, isGuarded: Bool) {
    unsafe self.statement = statement
    self.index = index
    self.isGuarded = isGuarded
    unsafe value = sqlite3_column_value(statement, index)
  }

  // If the connection has a mutex, each read must hold it. The `sqlite3_column_*` functions lock the mutex; the
  // `sqlite3_value_*` functions do not.
  var storageClass: StorageClass {
    StorageClass(
      isGuarded ? unsafe sqlite3_column_type(statement, index) : unsafe sqlite3_value_type(value))
  }
  var integer: Int64 {
    isGuarded ? unsafe sqlite3_column_int64(statement, index) : unsafe sqlite3_value_int64(value)
  }
  var real: Double {
    isGuarded ? unsafe sqlite3_column_double(statement, index) : unsafe sqlite3_value_double(value)
  }
  var textBytes: UnsafeBufferPointer<UInt8>? {
    guard !isGuarded else {
      let start = unsafe sqlite3_column_text(statement, index)
      return unsafe lent(start, sqlite3_column_bytes(statement, index))
    }
    let start = unsafe sqlite3_value_text(value)
    return unsafe lent(start, sqlite3_value_bytes(value))
  }
  var blobBytes: UnsafeBufferPointer<UInt8>? {
    guard !isGuarded else {
      let start = unsafe sqlite3_column_blob(statement, index)
      return unsafe lent(start, sqlite3_column_bytes(statement, index))
    }
    let start = unsafe sqlite3_value_blob(value)
    return unsafe lent(start, sqlite3_value_bytes(value))
  }
  func duplicate() -> OpaquePointer? { unsafe sqlite3_value_dup(value) }
}

/// An argument that SQLite passes to a function.
@safe struct Argument: ValueSource {
  let value: OpaquePointer

  init(_ value: OpaquePointer) { unsafe self.value = value }

  var storageClass: StorageClass { StorageClass(unsafe sqlite3_value_type(value)) }
  var integer: Int64 { unsafe sqlite3_value_int64(value) }
  var real: Double { unsafe sqlite3_value_double(value) }
  var textBytes: UnsafeBufferPointer<UInt8>? {
    let start = unsafe sqlite3_value_text(value)
    return unsafe lent(start, sqlite3_value_bytes(value))
  }
  var blobBytes: UnsafeBufferPointer<UInt8>? {
    let start = unsafe sqlite3_value_blob(value)
    return unsafe lent(start, sqlite3_value_bytes(value))
  }
  func duplicate() -> OpaquePointer? { unsafe sqlite3_value_dup(value) }
}

extension ValueSource {
  /// Returns a copy of the value as it is stored.
  func stored() throws(ReadFailure) -> DatabaseValue {
    switch storageClass {
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(try text())
    case .blob: .blob(try blob())
    case .null: .null
    }
  }

  /// Returns the value as text, by SQLite's conversion rules.
  func text() throws(ReadFailure) -> String {
    if storageClass == .text { return try unsafe string(textBytes) }
    return try withDuplicate { copy throws(ReadFailure) in try unsafe string(copy.textBytes) }
  }

  /// Returns the value as bytes, by SQLite's conversion rules; the bytes of text are its UTF-8.
  func blob() throws(ReadFailure) -> [UInt8] {
    switch storageClass {
    case .blob: return try unsafe array(blobBytes)
    case .text: return try unsafe array(textBytes)
    case .integer, .real, .null:
      return try withDuplicate { copy throws(ReadFailure) in try unsafe array(copy.textBytes) }
    }
  }

  /// Returns the bytes of a value that must be text or a blob, without copying them.
  func bytes(of wanted: StorageClass) throws(ReadFailure) -> UnsafeBufferPointer<UInt8> {
    // The type is checked first, because reading the bytes of any other type would convert the value in place.
    guard storageClass == wanted else { throw .isNot(wanted, found: storageClass) }
    guard let bytes = unsafe wanted == .text ? textBytes : blobBytes else { throw .noMemory }
    return unsafe bytes
  }

  /// Returns a copy of the value; if the value is text that looks like a number, returns that number.
  func numeric() throws(ReadFailure) -> DatabaseValue {
    // `sqlite3_value_numeric_type` converts its argument in place, and in newer versions of SQLite it rejects
    // copies.
    guard storageClass == .text, let form = unsafe NumberForm(try bytes(of: .text)) else {
      return try stored()
    }
    if let integer = form.integer { return .integer(integer) }
    return .real(try withDuplicate { copy throws(ReadFailure) in copy.real })
  }

  /// Calls `body` with a copy of the value, which a conversion may change in place.
  private func withDuplicate<T>(_ body: (Argument) throws(ReadFailure) -> T) throws(ReadFailure)
    -> T
  {
    guard let copy = unsafe duplicate() else { throw .noMemory }
    defer { unsafe sqlite3_value_free(copy) }
    return try unsafe body(Argument(copy))
  }
}

/// A reason why a value could not be read.
///
/// The method `error(_:sql:)` adds a name for the value.
enum ReadFailure: Error {
  case notUTF8
  case isNot(StorageClass, found: StorageClass)
  case noMemory

  /// Returns the error to throw, whose message calls the value `name`.
  func error(_ name: String, sql: String? = nil) -> SQLiteError {
    switch self {
    case .notUTF8: SQLiteError(.mismatch, "\(name) is not valid UTF-8", sql: sql)
    case .isNot(let wanted, let found):
      SQLiteError(.mismatch, "\(name) is \(found.rawValue), not \(wanted.rawValue)", sql: sql)
    case .noMemory: SQLiteError(.noMemory, "Out of memory for \(name)", sql: sql)
    }
  }
}

private func string(_ bytes: UnsafeBufferPointer<UInt8>?) throws(ReadFailure) -> String {
  guard let bytes = unsafe bytes else { throw .noMemory }
  return try unsafe string(bytes.baseAddress, bytes.count)
}

/// Returns a string with a copy of UTF-8 bytes.
///
/// If `start` is nil and `count` is 0, the string is empty. If `start` is nil and `count` is not 0, SQLite has run
/// out of memory, and the function throws.
@inline(__always)
func string(_ start: UnsafeRawPointer?, _ count: Int) throws(ReadFailure) -> String {
  guard let start = unsafe start else {
    if count > 0 { throw .noMemory }
    return ""
  }
  let bytes = unsafe UnsafeBufferPointer(
    start: start.assumingMemoryBound(to: UInt8.self), count: count)
  if let small = unsafe String(small: bytes) { return small }
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
    let text = unsafe String(longASCII: bytes)
  {
    return text
  }
  // Decoding replaces invalid UTF-8, so the bytes are valid if the result equals them. The validating initializer
  // takes five times as long.
  var string = unsafe String(decoding: bytes, as: UTF8.self)
  guard string.withUTF8({ unsafe areIdentical($0, bytes) }) else { throw .notUTF8 }
  return string
}

extension String {
  /// Creates a string from up to 15 ASCII characters without an allocation; nil for any other text.
  @inline(__always)
  init?(small bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    let source = UnsafeRawBufferPointer(bytes)
    if count >= 8 {
      guard count <= 15 else { return nil }
      // Copying two blocks of 8 bytes, which may overlap, is faster than a call to `memcpy`.
      let first = unsafe source.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
      let last = unsafe source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      guard (first | last) & 0x8080_8080_8080_8080 == 0 else { return nil }
      self = unsafe String(unsafeUninitializedCapacity: count) { place in
        let place = UnsafeMutableRawBufferPointer(place)
        unsafe place.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
        unsafe place.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        return count
      }
    } else {
      var all: UInt8 = 0
      for index in 0..<count { all |= unsafe bytes[index] }
      guard all & 0x80 == 0 else { return nil }
      self = unsafe String(unsafeUninitializedCapacity: count) { place in
        unsafe UnsafeMutableRawBufferPointer(place).copyMemory(from: source)
        return count
      }
    }
  }
}

extension String {
  /// Creates a string from 16 or more ASCII bytes, without validating UTF-8; nil for any other text.
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  fileprivate init?(longASCII bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count >= 16 else { return nil }
    let source = UnsafeRawBufferPointer(bytes)
    // Each block has 16 bytes, and the last block can overlap the block before it.
    var next = 0
    while true {
      let start = Swift.min(next, bytes.count &- 16)
      let first = unsafe source.loadUnaligned(fromByteOffset: start, as: UInt64.self)
      let second = unsafe source.loadUnaligned(fromByteOffset: start &+ 8, as: UInt64.self)
      guard (first | second) & 0x8080_8080_8080_8080 == 0 else { return nil }
      next = start &+ 16
      if next == bytes.count { break }
    }
    self = unsafe String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: true))
  }
}

private func array(_ bytes: UnsafeBufferPointer<UInt8>?) throws(ReadFailure) -> [UInt8] {
  guard let bytes = unsafe bytes else { throw .noMemory }
  return unsafe Array(bytes)
}

/// Returns a buffer of bytes that SQLite owns, or nil if SQLite ran out of memory.
///
/// SQLite returns a null address in that case, and also for an empty blob; only the byte count tells them apart.
private func lent<Byte>(_ start: UnsafePointer<Byte>?, _ count: Int32)
  -> UnsafeBufferPointer<UInt8>?
{
  unsafe lent(UnsafeRawPointer(start), count)
}

private func lent(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8>? {
  if unsafe start == nil && count > 0 { return nil }
  let start = unsafe start?.assumingMemoryBound(to: UInt8.self)
  return unsafe UnsafeBufferPointer(start: start, count: Int(count))
}
