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

  /// Rows without columns have no bytes, so they would never end.
  private func refuseEmptyRows(_ names: ColumnNames) throws {
    guard names.names.isEmpty, !rows.isEmpty else { return }
    throw WireError.broken("A batch has rows without columns")
  }
}
