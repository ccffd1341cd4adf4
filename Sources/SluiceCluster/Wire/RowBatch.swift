/// The names of a query's columns, and the bytes with which each batch of its rows begins.
struct ColumnNames {
  /// The number of the columns and their names, as in a batch.
  private(set) var bytes: [UInt8] = []
  /// The names.
  private(set) var names: [String] = []

  /// Reads the names at the beginning of a batch.
  ///
  /// The same bytes as before need no memory for the names.
  mutating func read(_ body: UnsafeRawBufferPointer) throws {
    if unsafe isPrefix(of: body) { return }
    var decoder = unsafe WireDecoder(body)
    let names = try (0..<decoder.count(of: 8)).map { _ in try decoder.string() }
    bytes = decoder.bytes(at: 0..<decoder.position)
    self.names = names
  }

  /// Returns whether a batch begins with these names.
  func isPrefix(of body: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty, body.count >= bytes.count else { return false }
    return unsafe bytes.withUnsafeBytes {
      unsafe areEqual($0, UnsafeRawBufferPointer(rebasing: body[..<bytes.count]))
    }
  }
}

/// The place of the rows in a batch, and whether another batch follows.
struct RowBatch {
  /// The offsets of the rows within the body.
  var rows: Range<Int>
  /// Whether no batch follows.
  let isLast: Bool

  /// Reads the first batch of a query, and the names.
  init(_ body: UnsafeRawBufferPointer, _ names: inout ColumnNames) throws {
    isLast = try unsafe Self.isLast(body)
    try unsafe names.read(UnsafeRawBufferPointer(rebasing: body.dropLast(8)))
    rows = names.bytes.count..<body.count - 8
    try refuseEmptyRows(names)
  }

  /// Reads another batch of a query.
  init(_ body: UnsafeRawBufferPointer, with names: ColumnNames) throws {
    isLast = try unsafe Self.isLast(body)
    guard unsafe names.isPrefix(of: UnsafeRawBufferPointer(rebasing: body.dropLast(8))) else {
      throw WireError.broken("Two batches of rows have different columns")
    }
    rows = names.bytes.count..<body.count - 8
    try refuseEmptyRows(names)
  }

  /// The last word of a batch says whether another batch follows.
  private static func isLast(_ body: UnsafeRawBufferPointer) throws -> Bool {
    guard body.count >= 16 else { throw WireError.broken("A batch of rows has no end") }
    switch unsafe WireDecoder.word(body, body.count - 8) {
    case 0xffff_ffff_ffff_ffff: return true
    case 0xeeee_eeee_eeee_eeee: return false
    default: throw WireError.broken("A batch of rows has no end")
    }
  }

  /// Rows without columns have no bytes, so bytes would never end.
  private func refuseEmptyRows(_ names: ColumnNames) throws {
    guard names.names.isEmpty, !rows.isEmpty else { return }
    throw WireError.broken("A batch has rows without columns")
  }
}
