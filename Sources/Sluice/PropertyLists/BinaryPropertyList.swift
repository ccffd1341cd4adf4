/// A binary property list, of which no byte is trusted.
///
/// Foundation's readers take its structure on trust: an array that contains itself, or a thousand
/// in each other, ends the process.
struct BinaryPropertyList {
  /// The index of the object that holds all others.
  let top: Int
  /// Everything up to the trailer.
  let body: ArraySlice<UInt8>
  let count: Int
  let offsetTable: Int
  let offsetSize: Int
  let indexSize: Int

  init(_ bytes: [UInt8]) throws(Refusal) {
    guard bytes.count >= 40, bytes.starts(with: "bplist00".utf8) else {
      throw Refusal("It does not begin as one")
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
    else { throw Refusal("Its end is damaged") }
  }

  /// Throws unless it is a tree of a depth and size that every reader stands.
  func check() throws(Refusal) {
    var budget = 1 << 24 + 256 * body.count
    var seen: Set<Int> = []
    try check(top, depth: 0, &seen, &budget)
  }

  private func check(_ index: Int, depth: Int, _ seen: inout Set<Int>, _ budget: inout Int)
    throws(Refusal)
  {
    let object = try object(at: index)
    // What is referred to often, as strings are, is read as often.
    budget -= object.size
    guard depth < 128, budget >= 0 else { throw Refusal("It is too deep or too large") }
    let parts = object.parts
    guard parts.isEmpty || seen.insert(index).inserted else {
      throw Refusal("Something in it is in two places, or in itself")
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
