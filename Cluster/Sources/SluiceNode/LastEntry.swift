import Foundation

/// The position of the last entry in the log of a node that does not run.
///
/// Of two logs, the one with the higher term is newer; of two with the same term, the one with the higher index. The
/// library has a function for this only since dqlite 1.17.
struct LastEntry {
  private(set) var term: UInt64 = 0
  private(set) var index: UInt64 = 0

  /// Reads the snapshots and the segments of the log in a folder.
  init(folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    for name in names {
      // snapshot-TERM-INDEX-TIME
      let numbers = name.split(separator: "-").dropFirst().compactMap { UInt64($0) }
      if name.hasPrefix("snapshot-"), numbers.count == 3, numbers[1] > index {
        (term, index) = (numbers[0], numbers[1])
      }
    }
    // FIRST-LAST
    let closed = names.compactMap { name -> (name: String, last: UInt64)? in
      let numbers = name.split(separator: "-").map { UInt64($0) }
      guard numbers.count == 2, numbers[0] != nil, let last = numbers[1] else { return nil }
      return (name, last)
    }
    if let newest = closed.max(by: { $0.last < $1.last }), newest.last > index {
      index = newest.last
      term = try LogSegment(file: folder + "/" + newest.name).lastTerm ?? term
    }
    let open = names.filter { $0.hasPrefix("open-") }.compactMap { UInt64($0.dropFirst(5)) }
    for number in open.sorted() {
      let segment = try LogSegment(file: "\(folder)/open-\(number)")
      index += UInt64(segment.count)
      term = segment.lastTerm ?? term
    }
  }
}

/// A file with consecutive entries of a log.
private struct LogSegment {
  /// The number of entries.
  private(set) var count = 0
  /// The term of the last entry; nil if there is none.
  private(set) var lastTerm: UInt64?
  private let bytes: [UInt8]
  private var offset = 8

  /// Reads a file: its format, then batches of entries, then zeros or a batch that was not written completely.
  init(file: String) throws {
    bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
    guard integer(at: 0, UInt64.self) == 1 else { return }
    while readBatch() {}
  }

  /// Reads two checksums, the number of entries, a term, a type and a size for each, and their data.
  private mutating func readBatch() -> Bool {
    guard let head = integer(at: offset, UInt32.self),
      let body = integer(at: offset + 4, UInt32.self),
      let entries = integer(at: offset + 8, UInt64.self), entries > 0,
      entries <= bytes.count / 16
    else { return false }
    let header = offset + 8..<offset + 16 + Int(entries) * 16
    guard header.upperBound <= bytes.count, checksum(header) == head else { return false }
    var size = 0
    for entry in stride(from: header.lowerBound + 8, to: header.upperBound, by: 16) {
      size += Int(integer(at: entry + 12, UInt32.self) ?? 0)
    }
    let data = header.upperBound..<header.upperBound + size
    guard data.upperBound <= bytes.count, checksum(data) == body else { return false }
    lastTerm = integer(at: header.upperBound - 16, UInt64.self)
    count += Int(entries)
    offset = data.upperBound
    return true
  }

  /// Returns a number in little endian order; nil if the file ends before it.
  private func integer<T: FixedWidthInteger>(at offset: Int, _ type: T.Type) -> T? {
    let size = T.bitWidth / 8
    guard offset + size <= bytes.count else { return nil }
    return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | T($1) }
  }

  private func checksum(_ range: Range<Int>) -> UInt32 {
    bytes[range].reduce(0) { $0 << 8 ^ Self.table[Int(UInt8($0 >> 24) ^ $1)] }
  }

  /// The remainders of the CRC-32 with the polynomial 0x04c11db7.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { value, _ in
      value & 0x8000_0000 == 0 ? value << 1 : value << 1 ^ 0x04c1_1db7
    }
  }
}
