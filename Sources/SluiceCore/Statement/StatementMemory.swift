/// Room for what is bound and short, from where SQLite reads it.
///
/// SQLite would otherwise ask for memory of its own for each value, and free it with the next one. A
/// value stays where it is until its parameter is bound again, which no statement allows while it
/// runs. Whoever finalizes the statement gives the room back, after that.
@safe struct StatementMemory {
  /// How many bytes there are for each parameter.
  private static let room = 64
  /// How many parameters have some.
  private static let limit = 64

  private let start: UnsafeMutableRawPointer?

  /// No room.
  init() { unsafe start = nil }

  init(forParameters count: Int) {
    unsafe start = .allocate(byteCount: min(count, Self.limit) * Self.room, alignment: 16)
  }

  /// Whether there is room for so many bytes at a parameter.
  @inline(__always)
  static func fits(_ count: Int, at index: Int) -> Bool { count <= room && index <= limit }

  var isEmpty: Bool { unsafe start == nil }

  /// Puts bytes that fit where they stay, and tells where that is; nil if there are none.
  @inline(__always)
  func keep(_ source: UnsafeRawBufferPointer, at index: Int) -> UnsafeRawPointer? {
    guard let start = unsafe start, let bytes = source.baseAddress else { return nil }
    let place = unsafe start + (index &- 1) &* Self.room
    unsafe place.copyMemory(from: bytes, byteCount: source.count)
    return UnsafeRawPointer(place)
  }

  /// Gives the room back.
  func deallocate() { unsafe start?.deallocate() }
}
