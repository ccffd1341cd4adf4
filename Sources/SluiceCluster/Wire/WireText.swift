#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension String {
  /// Creates text from bytes; nil if they are not valid UTF-8.
  init?(valid bytes: UnsafeRawBufferPointer) {
    // Decoding replaces invalid UTF-8, so the bytes are valid if the result equals them. The validating initializer
    // takes five times as long.
    self = unsafe String(decoding: bytes, as: UTF8.self)
    let isValid = withUTF8 { unsafe areEqual(UnsafeRawBufferPointer($0), bytes) }
    guard isValid else { return nil }
  }
}

/// Returns whether both buffers have the same bytes.
func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
  guard first.count == second.count else { return false }
  guard let start = first.baseAddress, let other = second.baseAddress else {
    return true
  }
  return unsafe memcmp(start, other, first.count) == 0
}
