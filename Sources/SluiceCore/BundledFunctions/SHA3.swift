/// A hash of FIPS 202 in the making: bytes go in, and at the end the digest comes out.
struct SHA3 {
  /// Five by five lanes; the lane (x, y) is at 5y + x.
  private var lanes = [UInt64](repeating: 0, count: 25)
  /// Where the next byte goes.
  private var position = 0
  /// How many bytes go in between two permutations.
  private let rate: Int
  private let digestSize: Int

  /// A hash of 224, 256, 384 or 512 bits; nil for any other size.
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

  /// The digest of all that went in; nothing can go in any more.
  mutating func finish() -> [UInt8] {
    add(0x06, at: position)
    add(0x80, at: rate - 1)
    permute()
    return (0..<digestSize).map { UInt8(truncatingIfNeeded: lanes[$0 / 8] >> ($0 % 8 * 8)) }
  }

  private mutating func add(_ byte: UInt8, at index: Int) {
    lanes[index / 8] ^= UInt64(byte) << (index % 8 * 8)
  }

  /// Keccak-f[1600].
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

  /// The step theta: each lane takes in the parities of two columns.
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

  /// The steps rho and pi: along a path through all lanes but the first, each is rotated, and moved to
  /// the place of the next.
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

  /// The step chi: each lane takes in the next two of its row.
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

  /// Those of the step iota.
  private static let roundConstants: [UInt64] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
  ]
}
