extension BinaryPropertyList {
  /// Returns an equal property list whose keys are sorted, so that equal values have equal bytes.
  ///
  /// Foundation writes the keys of a dictionary in an order that differs from process to process.
  func sorted() throws(Refusal) -> [UInt8] {
    var objects = Objects()
    try add(top, to: &objects)
    return Writer(objects.all).bytes
  }

  /// Adds an object and those inside it, and returns its index.
  @discardableResult
  private func add(_ index: Int, to objects: inout Objects) throws(Refusal) -> Int {
    switch try object(at: index) {
    case .array(let parts):
      let place = objects.reserve()
      var indexes: [Int] = []
      for part in parts { indexes.append(try add(part, to: &objects)) }
      objects.all[place] = .list(0xa0, count: parts.count, indexes)
      return place
    case .dictionary(let keys, let values):
      let place = objects.reserve()
      var fields: [(name: String, value: Int)] = []
      for (key, value) in zip(keys, values) {
        guard case .string(let name) = try object(at: key) else {
          throw Refusal("A key is not a string")
        }
        fields.append((name, value))
      }
      fields.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      var indexes = fields.map { objects.place(of: Writer.string($0.name)) }
      for field in fields { indexes.append(try add(field.value, to: &objects)) }
      objects.all[place] = .list(0xd0, count: fields.count, indexes)
      return place
    case .null: return objects.place(of: [0])
    case .bool(let value): return objects.place(of: [value ? 9 : 8])
    case .integer(let value): return objects.place(of: Writer.integer(value))
    case .unsigned(let value):
      return objects.place(of: [0x14] + Writer.bytes(of: 0, 8) + Writer.bytes(of: value, 8))
    case .real(let value):
      return objects.place(of: [0x23] + Writer.bytes(of: value.bitPattern, 8))
    case .date(let value):
      return objects.place(of: [0x33] + Writer.bytes(of: value.bitPattern, 8))
    case .data(let bytes): return objects.place(of: Writer.head(0x40, bytes.count) + bytes)
    case .string(let text): return objects.place(of: Writer.string(text))
    case .reference: throw Refusal("It contains a reference of a keyed archive")
    }
  }

  /// The objects of a property list, in which equal values are one object.
  private struct Objects {
    var all: [Node] = []
    private var places: [[UInt8]: Int] = [:]

    mutating func reserve() -> Int {
      all.append(.value([]))
      return all.count - 1
    }

    /// Returns the index of a value, which is added if there is none like it.
    mutating func place(of value: [UInt8]) -> Int {
      if let known = places[value] { return known }
      places[value] = all.count
      all.append(.value(value))
      return all.count - 1
    }
  }

  private enum Node {
    case value([UInt8])
    /// An array or a dictionary, with the indexes of its keys and values.
    case list(UInt8, count: Int, [Int])
  }

  private struct Writer {
    private(set) var bytes = Array("bplist00".utf8)

    init(_ objects: [Node]) {
      let indexSize = Self.size(of: objects.count)
      var offsets: [Int] = []
      for object in objects {
        offsets.append(bytes.count)
        switch object {
        case .value(let value): bytes += value
        case .list(let marker, let count, let indexes):
          bytes += Self.head(marker, count)
          for index in indexes { bytes += Self.bytes(of: UInt64(index), indexSize) }
        }
      }
      let table = bytes.count
      let offsetSize = Self.size(of: table)
      for offset in offsets { bytes += Self.bytes(of: UInt64(offset), offsetSize) }
      bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(indexSize)]
      for number in [objects.count, 0, table] { bytes += Self.bytes(of: UInt64(number), 8) }
    }

    /// Returns the number of bytes for numbers up to `limit`.
    private static func size(of limit: Int) -> Int {
      [1, 2, 4].first { limit < 1 << (8 * $0) } ?? 8
    }

    static func bytes(of value: UInt64, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    static func integer(_ value: Int64) -> [UInt8] {
      let size = value < 0 ? 8 : size(of: Int(value))
      return [0x10 | UInt8(size.trailingZeroBitCount)]
        + bytes(of: UInt64(bitPattern: value), size)
    }

    /// Returns the marker of an object with a count.
    static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [marker | UInt8(count)] : [marker | 15] + integer(Int64(count))
    }

    static func string(_ text: String) -> [UInt8] {
      guard !text.utf8.allSatisfy({ $0 < 0x80 }) else {
        return head(0x50, text.utf8.count) + text.utf8
      }
      return head(0x60, text.utf16.count) + text.utf16.flatMap { bytes(of: UInt64($0), 2) }
    }
  }
}
