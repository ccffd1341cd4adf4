import SluiceCore

/// A pull parser that splits chunks of JSON into the objects of an array, or into lines.
///
/// The parser finds only where an element ends; ``JSONScanner`` verifies its content. The parser retains one chunk
/// and one element. A chunk can end anywhere.
struct JSONElements {
  /// The bytes of the current element, possibly surrounded by white space.
  private(set) var bytes: [UInt8] = []
  /// The number of the line on which the current element begins, counted from 1.
  private(set) var line = 1
  private(set) var chunks: ByteChunks

  private let hasArray: Bool
  private var chunk: [UInt8] = []
  private var position = 0
  private var nextLine = 1
  private var place = Place.beforeArray

  /// Creates a parser for an array, or for lines.
  init(_ chunks: ByteChunks, hasArray: Bool) {
    self.chunks = chunks
    self.hasArray = hasArray
  }

  private enum Place {
    case beforeArray
    case inArray
    case afterArray
  }
}

extension JSONElements {
  /// Reads the next element, and returns whether there is one.
  mutating func advance() throws -> Bool {
    bytes.removeAll(keepingCapacity: true)
    return try hasArray ? advanceInArray() : advanceToLine()
  }

  /// Returns the next byte, which stays unread; nil at the end of the data.
  private mutating func peek() throws -> UInt8? {
    if position == chunk.count {
      guard let next = try chunks.next() else { return nil }
      (chunk, position) = (next, 0)
    }
    return chunk[position]
  }

  private mutating func skip() {
    if chunk[position] == CSV.lineFeed { nextLine += 1 }
    position += 1
  }

  /// Skips white space, and returns the byte behind it, which stays unread.
  private mutating func peekAfterSpace() throws -> UInt8? {
    while let byte = try peek() {
      guard JSONScanner.isSpace(byte) else { return byte }
      skip()
    }
    return nil
  }

  private mutating func advanceToLine() throws -> Bool {
    guard try peekAfterSpace() != nil else { return false }
    line = nextLine
    while try peek() != nil {
      let end = chunk[position...].firstIndex(of: CSV.lineFeed) ?? chunk.count
      bytes += chunk[position..<end]
      position = end
      guard end == chunk.count else { break }
      try checkSize()
    }
    return true
  }

  private mutating func advanceInArray() throws -> Bool {
    switch place {
    case .beforeArray:
      guard let first = try peekAfterSpace() else { throw failure("The data is empty") }
      guard first == UInt8(ascii: "[") else {
        throw failure(
          "The data does not begin with [, so it is not an array of objects"
            + (first == UInt8(ascii: "{")
              ? ": take the array out of the object; if each line is an object, the format is jsonLines (jsonl)"
              : ""))
      }
      skip()
      place = .inArray
      line = nextLine
      if try peekAfterSpace() == UInt8(ascii: "]") { return try leaveArray() }
    case .inArray:
      // After an element, the byte is a comma or the end of the array.
      if try peek() == UInt8(ascii: "]") { return try leaveArray() }
      skip()
    case .afterArray: return false
    }
    _ = try peekAfterSpace()
    line = nextLine
    try takeElement()
    return true
  }

  private mutating func leaveArray() throws -> Bool {
    skip()
    place = .afterArray
    guard try peekAfterSpace() == nil else { throw failure("There is text after the array") }
    return false
  }

  /// Appends bytes up to the comma or bracket that ends the element.
  private mutating func takeElement() throws {
    var (depth, isInString, isEscaped) = (0, false, false)
    while try peek() != nil {
      let start = position
      var isAtEnd = false
      scan: while position < chunk.count {
        let byte = chunk[position]
        if isInString {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
          }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isInString = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: "]") where depth == 0, UInt8(ascii: ",") where depth == 0:
            isAtEnd = true
            break scan
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { throw failure("There is a } without {") }
            depth -= 1
          default: break
          }
        }
        skip()
      }
      bytes += chunk[start..<position]
      if isAtEnd { return }
      try checkSize()
    }
    throw failure("The data ends inside the array, whose element on line \(line) is not complete")
  }

  private func checkSize() throws {
    guard bytes.count <= CSVParser.largestRecord else {
      throw SQLiteError(
        .tooBig, "Line \(line): the element is larger than \(CSVParser.largestRecord) bytes")
    }
  }

  private func failure(_ reason: String) -> SQLiteError {
    SQLiteError(.mismatch, "Line \(nextLine): \(reason)")
  }
}
