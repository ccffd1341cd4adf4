import Foundation
import SluiceCore

/// The bytes of a file or of a sequence, in chunks, as UTF-8 without a byte order mark.
struct ByteChunks {
  private let read: () throws -> [UInt8]?
  private let encoding: CSVFormat.TextEncoding
  private var isAtStart = true
  /// The number of bytes that were read, in the encoding of the file.
  private(set) var byteCount = 0

  init(encoding: CSVFormat.TextEncoding, _ read: @escaping () throws -> [UInt8]?) {
    self.read = read
    self.encoding = encoding
  }

  /// Opens a file.
  init(_ url: URL, encoding: CSVFormat.TextEncoding = .utf8) throws {
    let file = try FileChunks(url)
    self.init(encoding: encoding, file.next)
  }

  /// Creates chunks from a sequence, which is read once.
  init(
    _ chunks: some Sequence<some Sequence<UInt8>>, encoding: CSVFormat.TextEncoding = .utf8
  ) {
    var iterator = chunks.makeIterator()
    self.init(encoding: encoding) { iterator.next().map { Array($0) } }
  }

  /// Returns the next bytes, which are not empty; nil at the end.
  mutating func next() throws -> [UInt8]? {
    var bytes: [UInt8] = []
    // The first chunk must be long enough to contain a byte order mark.
    while bytes.count < (isAtStart ? CSV.byteOrderMark.count : 1), let more = try read() {
      // Most chunks arrive whole, and are not copied.
      if bytes.isEmpty { bytes = more } else { bytes += more }
      byteCount += more.count
    }
    if isAtStart {
      isAtStart = false
      try removeByteOrderMark(&bytes)
      if bytes.isEmpty, byteCount > 0 { return try next() }
    }
    guard !bytes.isEmpty else { return nil }
    return encoding == .utf8 ? bytes : Self.utf8(fromWindows1252: bytes)
  }
}

extension ByteChunks {
  private func removeByteOrderMark(_ bytes: inout [UInt8]) throws {
    guard encoding == .utf8 else { return }
    if bytes.starts(with: CSV.byteOrderMark) { bytes.removeFirst(CSV.byteOrderMark.count) }
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      throw SQLiteError(
        .mismatch, "The data is UTF-16, as its byte order mark shows; convert it to UTF-8")
    }
  }

  private static func utf8(fromWindows1252 bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes }
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let scalar = (0x80..<0xa0).contains(byte) ? windows1252[Int(byte) - 0x80] : UInt32(byte)
      text.append(Unicode.Scalar(scalar) ?? "\u{fffd}")
    }
    return Array(String(text).utf8)
  }

  /// The characters of the bytes 0x80 to 0x9f; the five undefined bytes are control characters, as in browsers.
  private static let windows1252: [UInt32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039,
    0x152, 0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc,
    0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
  ]
}
