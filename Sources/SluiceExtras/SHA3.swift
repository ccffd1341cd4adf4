public import SluiceCore

/// The state of a FIPS 202 hash function, to which bytes are added, and which finally returns their digest.
struct SHA3 {
  /// The state as five by five lanes; the lane (x, y) is at index 5y + x.
  private var lanes = [UInt64](repeating: 0, count: 25)
  /// The position of the next byte in the state.
  private var position = 0
  /// The number of bytes that are added between two permutations.
  private let rate: Int
  private let digestSize: Int

  /// Creates a hash function with a digest of 224, 256, 384 or 512 bits; nil for any other size.
  init?(bits: Int64) {
    guard [224, 256, 384, 512].contains(bits) else { return nil }
    digestSize = Int(bits) / 8
    rate = 200 - 2 * digestSize
  }

  mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      add(byte, at: position)
      position += 1
      if position == rate { permute() }
    }
  }

  /// Returns the digest of all bytes; no bytes can be added after this call.
  mutating func finish() -> [UInt8] {
    add(0x06, at: position)
    add(0x80, at: rate - 1)
    permute()
    return (0..<digestSize).map { UInt8(truncatingIfNeeded: lanes[$0 / 8] >> ($0 % 8 * 8)) }
  }

  private mutating func add(_ byte: UInt8, at index: Int) {
    lanes[index / 8] ^= UInt64(byte) << (index % 8 * 8)
  }

  /// Applies the permutation Keccak-f[1600].
  private mutating func permute() {
    position = 0
    let path = Self.path
    for constant in Self.roundConstants {
      mixColumns()
      rotateAndMove(along: path)
      mixRows()
      lanes[0] ^= constant
    }
  }

  /// Performs the step theta, which XORs the parities of two columns into each lane.
  private mutating func mixColumns() {
    let (a, b, c, d, e) = (parity(0), parity(1), parity(2), parity(3), parity(4))
    mix(e ^ rotated(b, by: 1), into: 0)
    mix(a ^ rotated(c, by: 1), into: 1)
    mix(b ^ rotated(d, by: 1), into: 2)
    mix(c ^ rotated(e, by: 1), into: 3)
    mix(d ^ rotated(a, by: 1), into: 4)
  }

  private func parity(_ x: Int) -> UInt64 {
    let parity = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10]
    return parity ^ lanes[x + 15] ^ lanes[x + 20]
  }

  private mutating func mix(_ change: UInt64, into x: Int) {
    for index in stride(from: x, to: 25, by: 5) { lanes[index] ^= change }
  }

  /// Performs the steps rho and pi, which rotate each lane except the first, and move it along `path`.
  private mutating func rotateAndMove(along path: [(next: Int, rotation: UInt64)]) {
    var lane = lanes[1]
    for (next, rotation) in path {
      let moved = rotated(lane, by: rotation)
      lane = lanes[next]
      lanes[next] = moved
    }
  }

  private static let path: [(next: Int, rotation: UInt64)] = {
    var (x, y) = (1, 0)
    return (1...24).map { step in
      (x, y) = (y, (2 * x + 3 * y) % 5)
      return (5 * y + x, UInt64(step * (step + 1) / 2 % 64))
    }
  }()

  /// Performs the step chi, which combines each lane with the next two lanes of its row.
  private mutating func mixRows() {
    for start in stride(from: 0, to: 25, by: 5) {
      let row = (
        lanes[start], lanes[start + 1], lanes[start + 2], lanes[start + 3], lanes[start + 4]
      )
      lanes[start] ^= ~row.1 & row.2
      lanes[start + 1] ^= ~row.2 & row.3
      lanes[start + 2] ^= ~row.3 & row.4
      lanes[start + 3] ^= ~row.4 & row.0
      lanes[start + 4] ^= ~row.0 & row.1
    }
  }

  private func rotated(_ lane: UInt64, by count: UInt64) -> UInt64 {
    lane &<< count | lane &>> (64 &- count)
  }

  /// The round constants of the step iota.
  private static let roundConstants: [UInt64] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
  ]
}

/// A hasher of queries and their results.
final class QueryHasher {
  private weak var connection: Connection?
  private var depth = 0
  /// The maximum nesting of hashed queries, because a query that is read from a table could hash itself
  /// endlessly.
  private static let maximumDepth = 8

  init(connection: Connection) { self.connection = connection }

  /// Runs all queries in `sql` in order, and adds the queries and their results to a hash.
  func hash(_ sql: String, into hash: inout SHA3) throws {
    guard let connection else { throw SQLiteError(.misuse, "The connection no longer exists") }
    guard depth < Self.maximumDepth else {
      throw SQLiteError(.error, "Calls of sha3_query are nested more than \(depth) levels deep")
    }
    depth += 1
    defer { depth -= 1 }
    guard !sql.utf8.contains(0) else {
      throw SQLiteError(.misuse, "The SQL contains a NUL")
    }
    let text = Array(sql.utf8)
    var position = 0
    while position < text.count {
      let (statement, next) = try connection.compile(sql, from: position)
      if let statement {
        guard statement.columnCount > 0, try statement.isReadOnly else {
          throw SQLiteError(.error, "Only statements that read can be hashed")
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

extension Connection {
  /// Adds SQL functions that return FIPS 202 hashes: `sha3(X, SIZE)` and `sha3_query(SQL, SIZE)`.
  ///
  /// The hashes are blobs. The size is 224, 256, 384 or 512 bits; the default is 256. A number is hashed in its
  /// text form, and the hash of NULL is NULL.
  ///
  /// `sha3_query` runs queries on this connection, and hashes them together with their results:
  ///
  /// - For each query: an `S`, the number of its bytes, a colon, and the bytes.
  /// - For each row: an `R`.
  /// - For each value: an `N` for NULL; an `I` or `F` and 8 bytes in big-endian order for a number; or a `T` or
  ///   `B`, the number of bytes, a colon, and the bytes.
  ///
  /// SQL that writes, or that cannot return rows, throws `ResultCode.error`. Views and triggers cannot call
  /// `sha3_query`.
  public func addSHA3Functions() throws {
    for arity in [1, 2] {
      try addFunction("sha3", arity: arity, options: [.deterministic, .innocuous]) { values in
        var hash = try SHA3(sizeIn: values)
        guard try values.storageClass(at: 0) != .null else { return .null }
        hash.update(try values.blob(at: 0))
        return .blob(hash.finish())
      }
    }
    // If the function had a strong reference to its connection, the connection would never be deallocated.
    let hasher = QueryHasher(connection: self)
    for arity in [1, 2] {
      try addFunction("sha3_query", arity: arity) { values in
        var hash = try SHA3(sizeIn: values)
        guard try values.storageClass(at: 0) != .null else { return .null }
        try hasher.hash(values.text(at: 0), into: &hash)
        return .blob(hash.finish())
      }
    }
  }
}

extension SHA3 {
  /// Creates a hash function with the size in the second argument; the default is 256 bits.
  fileprivate init(sizeIn values: borrowing SQLFunctionArguments) throws {
    guard let hash = try SHA3(bits: values.count > 1 ? values.integer(at: 1) : 256) else {
      throw SQLiteError(.error, "The size of a SHA-3 hash must be 224, 256, 384 or 512")
    }
    self = hash
  }
}
