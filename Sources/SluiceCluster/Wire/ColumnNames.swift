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
    let count = try decoder.count(of: 8)
    // SQLite has no query with more columns.
    guard count <= 32_767 else { throw WireError.broken("A query has \(count) columns") }
    let names = try (0..<count).map { _ in try decoder.string() }
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
