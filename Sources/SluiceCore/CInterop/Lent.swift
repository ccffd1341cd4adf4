/// A value that threads lend to each other: while one uses it, the others wait.
@safe struct Lent<Value>: Sendable {
  nonisolated(unsafe) var value: Value

  init(_ value: Value) { unsafe self.value = value }
}

/// A pointer that threads share, to memory that no longer changes, or that SQLite protects.
@safe struct SharedPointer: Sendable {
  private nonisolated(unsafe) let address: UnsafeMutableRawPointer

  init<T>(_ pointer: UnsafeMutablePointer<T>) { unsafe address = UnsafeMutableRawPointer(pointer) }

  init(_ pointer: OpaquePointer) { unsafe address = UnsafeMutableRawPointer(pointer) }

  /// Returns the pointer, to a value of this type.
  func to<T>(_ type: T.Type) -> UnsafeMutablePointer<T> {
    unsafe address.assumingMemoryBound(to: type)
  }

  /// The pointer, to a value of a type that only C knows.
  var opaque: OpaquePointer { unsafe OpaquePointer(address) }
}
