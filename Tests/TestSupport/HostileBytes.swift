package import SluiceTesting

/// Malformed bytes for tests of hostile input.
package enum Hostile {
  /// Returns a binary property list whose objects refer to each other by index.
  ///
  /// The first object is the root.
  package static func propertyList(_ objects: [[UInt8]]) -> [UInt8] {
    var list = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += bytes(of: list.count)
      list += object
    }
    let table = list.count
    return list + offsets + [0, 0, 0, 0, 0, 0, 4, 4]
      + [objects.count, 0, table].flatMap { [0, 0, 0, 0] + bytes(of: $0) }
  }

  package static func array(_ indexes: [Int]) -> [UInt8] {
    [0xaf, 0x12] + bytes(of: indexes.count) + indexes.flatMap(bytes)
  }

  /// Returns the low four bytes of `number` in big-endian order.
  package static func bytes(of number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Returns `bytes` with up to six random changes.
  package static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
      let index = bytes.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
      default: bytes.removeSubrange(index..<min(bytes.count, index + 8))
      }
    }
    return bytes
  }
}
