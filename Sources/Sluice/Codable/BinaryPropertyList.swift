/// A binary property list, parsed without trusting its bytes.
///
/// Foundation's readers trust the structure: an array that contains itself, or a thousand nested arrays, crashes
/// the process.
package struct BinaryPropertyList {
  /// The index of the root object.
  package let top: Int
  /// The bytes before the trailer.
  let body: ArraySlice<UInt8>
  let count: Int
  let offsetTable: Int
  let offsetSize: Int
  let indexSize: Int

  package init(_ bytes: [UInt8]) throws(Refusal) {
    guard bytes.count >= 40, bytes.starts(with: "bplist00".utf8) else {
      throw Refusal("The header is missing")
    }
    body = bytes.dropLast(32)
    var trailer = Reader(bytes.suffix(26), limit: UInt64(bytes.count))
    offsetSize = try trailer.integer(ofSize: 1)
    indexSize = try trailer.integer(ofSize: 1)
    count = try trailer.integer(ofSize: 8)
    top = try trailer.integer(ofSize: 8)
    offsetTable = try trailer.integer(ofSize: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(indexSize), offsetTable <= body.count,
      count <= (body.count - offsetTable) / offsetSize
    else { throw Refusal("The trailer is damaged") }
  }

  /// Throws if the objects do not form a tree whose depth and size every reader can handle.
  package func check() throws(Refusal) {
    var budget = 1 << 24 + 256 * body.count
    var seen: Set<Int> = []
    try check(top, depth: 0, &seen, &budget)
  }

  private func check(_ index: Int, depth: Int, _ seen: inout Set<Int>, _ budget: inout Int)
    throws(Refusal)
  {
    let object = try object(at: index)
    // Count a shared object, such as a string, once for each reference to it, because readers read it each time.
    budget -= object.size
    guard depth < 128, budget >= 0 else { throw Refusal("It is nested too deeply or is too large") }
    let parts = object.parts
    guard parts.isEmpty || seen.insert(index).inserted else {
      throw Refusal("An object is referenced twice or contains itself")
    }
    for part in parts { try check(part, depth: depth + 1, &seen, &budget) }
  }
}

extension BinaryPropertyList.Object {
  fileprivate var parts: [Int] {
    switch self {
    case .array(let parts): parts
    case .dictionary(let keys, let values): keys + values
    default: []
    }
  }

  fileprivate var size: Int {
    switch self {
    case .data(let bytes): 32 + bytes.count
    case .string(let text): 32 + text.utf8.count
    default: 32
    }
  }
}

extension BinaryPropertyList {
  /// An object of a property list; objects inside it are represented by their indexes.
  package enum Object {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer that is too large for `Int64`.
    case unsigned(UInt64)
    case real(Double)
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference by number to an object in a keyed archive.
    case reference(Int)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// Returns the object at `index`.
  package func object(at index: Int) throws(Refusal) -> Object {
    guard index < count else { throw Refusal("A reference points to a missing object") }
    let limit = UInt64(body.count)
    var table = Reader(body.dropFirst(offsetTable + index * offsetSize), limit: limit)
    var reader = Reader(
      body.prefix(offsetTable).dropFirst(try table.integer(ofSize: offsetSize)), limit: limit)
    let marker = try reader.take(1).first ?? 0
    let low = Int(marker & 0x0f)
    switch (marker >> 4, low) {
    case (0x0, 0x0): return .null
    case (0x0, 0x8): return .bool(false)
    case (0x0, 0x9): return .bool(true)
    case (0x1, 0...2): return .integer(Int64(try reader.bits(ofSize: 1 << low)))
    case (0x1, 3): return .integer(Int64(bitPattern: try reader.bits(ofSize: 8)))
    case (0x1, 4):
      guard try reader.bits(ofSize: 8) == 0 else { throw Refusal("An integer is too large") }
      return .unsigned(try reader.bits(ofSize: 8))
    case (0x2, 2):
      return .real(Double(Float(bitPattern: UInt32(try reader.bits(ofSize: 4)))))
    case (0x2, 3): return .real(Double(bitPattern: try reader.bits(ofSize: 8)))
    case (0x3, 3): return .date(Double(bitPattern: try reader.bits(ofSize: 8)))
    case (0x4, _): return .data(try reader.take(reader.count(low)))
    case (0x5, _): return .string(try reader.utf8(reader.count(low)))
    case (0x6, _): return .string(try reader.utf16(reader.count(low)))
    case (0x8, 0...7): return .reference(try reader.integer(ofSize: low + 1))
    case (0xa, _), (0xc, _): return .array(try reader.indexes(reader.count(low), indexSize))
    case (0xd, _):
      let count = try reader.count(low)
      return .dictionary(
        keys: try reader.indexes(count, indexSize), values: try reader.indexes(count, indexSize))
    default: throw Refusal("It contains an unknown type of object")
    }
  }
}

extension BinaryPropertyList {
  /// Returns the values of a dictionary as object indexes, by string key.
  package func fields(at index: Int) throws(Refusal) -> [String: Int] {
    guard case .dictionary(let keys, let values) = try object(at: index) else {
      throw Refusal("A required dictionary is missing")
    }
    var fields: [String: Int] = [:]
    for (key, value) in zip(keys, values) {
      if case .string(let name) = try object(at: key) { fields[name] = value }
    }
    return fields
  }
}

extension BinaryPropertyList {
  /// A reader that consumes bytes from the front.
  struct Reader {
    private var bytes: ArraySlice<UInt8>
    /// The total number of bytes, which no valid count or offset exceeds.
    private let limit: UInt64

    init(_ bytes: ArraySlice<UInt8>, limit: UInt64) {
      self.bytes = bytes
      self.limit = limit
    }

    mutating func take(_ count: Int) throws(Refusal) -> ArraySlice<UInt8> {
      guard count <= bytes.count else { throw Refusal("It ends unexpectedly") }
      defer { bytes = bytes.dropFirst(count) }
      return bytes.prefix(count)
    }

    mutating func bits(ofSize size: Int) throws(Refusal) -> UInt64 {
      try take(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func integer(ofSize size: Int) throws(Refusal) -> Int {
      let value = try bits(ofSize: size)
      guard value <= limit else { throw Refusal("A count or an offset is out of bounds") }
      return Int(value)
    }

    /// Reads a count, which is part of the marker or follows the marker as an integer.
    mutating func count(_ low: Int) throws(Refusal) -> Int {
      guard low == 0x0f else { return low }
      let marker = try take(1).first ?? 0
      guard (0x10...0x13).contains(marker) else { throw Refusal("A count is missing") }
      return try integer(ofSize: 1 << Int(marker & 0x0f))
    }

    mutating func indexes(_ count: Int, _ size: Int) throws(Refusal) -> [Int] {
      var indexes: [Int] = []
      for _ in 0..<count { indexes.append(try integer(ofSize: size)) }
      return indexes
    }

    mutating func utf8(_ count: Int) throws(Refusal) -> String {
      guard let text = String(validating: try take(count), as: UTF8.self) else {
        throw Refusal("A string is not valid text")
      }
      return text
    }

    mutating func utf16(_ count: Int) throws(Refusal) -> String {
      var units: [UInt16] = []
      for _ in 0..<count { units.append(UInt16(try bits(ofSize: 2))) }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw Refusal("A string is not valid text")
      }
      return text
    }
  }
}
