/// Memory from which SQLite reads short bound values.
///
/// Without this type, SQLite would allocate memory for each value, and free it when the next value is bound. A
/// value remains valid until its parameter is bound again, which is not possible while the statement runs. The
/// code that finalizes a statement deallocates the memory afterwards.
@safe struct StatementMemory {
  /// The number of bytes for each parameter.
  private static let room = 64
  /// The maximum number of parameters for which there is memory.
  private static let limit = 64

  private let start: UnsafeMutableRawPointer?

  /// Creates an instance without memory.
  init() { unsafe start = nil }

  init(forParameters count: Int) {
    unsafe start = .allocate(byteCount: min(count, Self.limit) * Self.room, alignment: 16)
  }

  /// Returns whether a value with this number of bytes fits into the memory of a parameter.
  @inline(__always)
  static func fits(_ count: Int, at index: Int) -> Bool { count <= room && index <= limit }

  var isEmpty: Bool { unsafe start == nil }

  /// Copies bytes, which must fit, to the memory of a parameter, and returns the address of the copy.
  ///
  /// - Returns: The address, or nil if there is no memory or there are no bytes.
  @inline(__always)
  func keep(_ source: UnsafeRawBufferPointer, at index: Int) -> UnsafeRawPointer? {
    guard let start = unsafe start, let bytes = source.baseAddress else { return nil }
    let place = unsafe start + (index &- 1) &* Self.room
    unsafe place.copyMemory(from: bytes, byteCount: source.count)
    return UnsafeRawPointer(place)
  }

  /// Deallocates the memory.
  func deallocate() { unsafe start?.deallocate() }
}
