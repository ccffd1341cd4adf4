/// Hashes queries together with what they return.
final class QueryHasher {
  private weak let connection: Connection?
  private var depth = 0
  /// A query can hash itself, if it is read from a table, and would not end.
  private static let maximumDepth = 8

  init(connection: Connection) { self.connection = connection }

  /// Runs all queries of `sql` in order.
  func hash(_ sql: String, into hash: inout SHA3) throws {
    guard let connection else { throw SQLiteError(.misuse, "The connection is gone") }
    guard depth < Self.maximumDepth else {
      throw SQLiteError(.error, "Queries that hash queries are nested more than \(depth) deep")
    }
    depth += 1
    defer { depth -= 1 }
    try refuseNUL(in: sql, "The SQL")
    let text = Array(sql.utf8)
    var position = 0
    while position < text.count {
      let (statement, next) = try connection.compile(sql, from: position)
      if let statement {
        guard statement.columnCount > 0, try statement.isReadOnly else {
          throw SQLiteError(.error, "Only queries can be hashed, and nothing that writes")
        }
        hash.update("S", text[position..<next])
        try statement.forEachRow { row in try hash.update(row) }
      }
      guard next > position else { return }
      position = next
    }
  }
}

extension SHA3 {
  fileprivate mutating func update(_ row: borrowing Row) throws {
    update("R".utf8)
    for index in row.indices {
      switch try row.storageClass(at: index) {
      case .null: update("N".utf8)
      case .integer: update("I", UInt64(bitPattern: try row.integer(at: index)))
      case .real: update("F", try row.real(at: index).bitPattern)
      case .text: update("T", try row.blob(at: index))
      case .blob: update("B", try row.blob(at: index))
      }
    }
  }

  private mutating func update(_ kind: String, _ word: UInt64) {
    update(kind.utf8)
    update((0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) })
  }

  fileprivate mutating func update(_ kind: String, _ bytes: some Collection<UInt8>) {
    update("\(kind)\(bytes.count):".utf8)
    update(bytes)
  }
}
