extension String {
  /// What closes the comment in which this SQL ends, so that the SQL behind it is no part of it.
  ///
  /// It is empty for nearly all SQL.
  package var endOfComment: String {
    var bytes = utf8.makeIterator()
    var state = SQLPlace.code
    var previous: UInt8 = 0
    while let byte = bytes.next() {
      let isPair = state.follows(previous, byte)
      // What has made a pair is no half of another: "/*/" is open.
      previous = isPair ? 0 : byte
    }
    return switch state {
    case .line: "\n"
    case .block: " */"
    case .code, .quoted: ""
    }
  }
}

/// Where in SQL a byte is.
private enum SQLPlace {
  case code
  case line
  case block
  case quoted(until: UInt8)

  /// Goes on by one byte, and says whether that and the one before were a sign together.
  mutating func follows(_ previous: UInt8, _ byte: UInt8) -> Bool {
    switch self {
    case .code:
      switch (previous, byte) {
      case (UInt8(ascii: "-"), UInt8(ascii: "-")): self = .line
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): self = .block
      case (_, UInt8(ascii: "'")), (_, UInt8(ascii: "\"")), (_, UInt8(ascii: "`")):
        self = .quoted(until: byte)
      case (_, UInt8(ascii: "[")): self = .quoted(until: UInt8(ascii: "]"))
      default: return false
      }
      return true
    case .line:
      if byte == UInt8(ascii: "\n") { self = .code }
    case .block:
      guard previous == UInt8(ascii: "*"), byte == UInt8(ascii: "/") else { return false }
      self = .code
      return true
    case .quoted(let end):
      // A doubled mark ends the text, and begins it again.
      guard byte == end else { return false }
      self = .code
      return true
    }
    return false
  }
}
