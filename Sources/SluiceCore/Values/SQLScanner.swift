/// A scanner that splits SQL into tokens as SQLite's own tokenizer does.
package struct SQLScanner: IteratorProtocol {
  private let bytes: ArraySlice<UInt8>
  private let readsParameters: Bool
  private var position: Int

  /// Creates a scanner; the ranges of its tokens are indexes of `bytes`.
  ///
  /// If `readsParameters` is true, a parameter is one token. Otherwise, it is a sign with the tokens that follow it.
  package init(_ bytes: ArraySlice<UInt8>, readsParameters: Bool = false) {
    self.bytes = bytes
    self.readsParameters = readsParameters
    position = bytes.startIndex
  }

  package mutating func next() -> SQLToken? {
    skipBlanks()
    guard let first = byte() else { return nil }
    let start = position
    if readsParameters, let end = endOfParameter() {
      position = end
      return SQLToken(kind: .parameter, content: Array(bytes[start..<end]), range: start..<end)
    }
    let (kind, content) = read(first)
    return SQLToken(kind: kind, content: content, range: start..<position)
  }

  private mutating func read(_ first: UInt8) -> (SQLToken.Kind, [UInt8]) {
    switch first {
    case UInt8(ascii: "'"): return (.string, quoted(until: first))
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return (.name, lowercased(quoted(until: first)))
    case UInt8(ascii: "["): return (.name, lowercased(quoted(until: UInt8(ascii: "]"))))
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard byte(1) == UInt8(ascii: "'") else { return (.word, word()) }
      position += 1
      return (.blob, lowercased(quoted(until: UInt8(ascii: "'"))))
    case let byte where isDigit(byte): return (.number, number())
    case UInt8(ascii: ".") where byte(1).map(isDigit) == true: return (.number, number())
    case let byte where isWord(byte): return (.word, word())
    default:
      position += 1
      return (.sign, [first])
    }
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.endIndex ? bytes[position + offset] : nil
  }

  private mutating func skipBlanks() {
    while let byte = byte() {
      switch (byte, self.byte(1)) {
      case (UInt8(ascii: "-"), UInt8(ascii: "-")):
        position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
      case (UInt8(ascii: "/"), UInt8(ascii: "*")):
        position += 2
        while let byte = self.byte(),
          !(byte == UInt8(ascii: "*") && self.byte(1) == UInt8(ascii: "/"))
        {
          position += 1
        }
        position = min(position + 2, bytes.endIndex)
      case (let byte, _) where isSpace(byte): position += 1
      case (0xef, 0xbb) where self.byte(2) == 0xbf: position += 3
      default: return
      }
    }
  }

  /// Returns the text between the current quote and the closing quote `end`.
  ///
  /// A doubled `end` in the text represents a single one, unless `end` is `]`, which cannot be doubled.
  private mutating func quoted(until end: UInt8) -> [UInt8] {
    var content: [UInt8] = []
    position += 1
    while let byte = byte() {
      position += 1
      if byte == end {
        guard end != UInt8(ascii: "]"), self.byte() == end else { return content }
        position += 1
      }
      content.append(byte)
    }
    return content
  }

  private mutating func word() -> [UInt8] {
    let start = position
    while let byte = byte(), isWord(byte) || isDigit(byte) || byte == UInt8(ascii: "$") {
      position += 1
    }
    return lowercased(bytes[start..<position])
  }

  private mutating func number() -> [UInt8] {
    let start = position
    let isHexadecimal =
      byte() == UInt8(ascii: "0") && byte(1).map { $0 | 0x20 } == UInt8(ascii: "x")
    while let byte = byte() {
      let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      let followsExponent =
        !isHexadecimal && position > start && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
      guard
        isDigit(byte) || isWord(byte) || byte == UInt8(ascii: ".") || (isSign && followsExponent)
      else { break }
      position += 1
    }
    return lowercased(bytes[start..<position])
  }

  /// Returns the end of the parameter at the current position; nil if there is none.
  ///
  /// A name can contain `::`, and end with text in parentheses, as the names of variables in Tcl do.
  private func endOfParameter() -> Int? {
    var end = position + 1
    switch byte() {
    case UInt8(ascii: "?"):
      while end < bytes.endIndex, isDigit(bytes[end]) { end += 1 }
      return end
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"): break
    // SQLite does not document this form. With a digit, it is for SQLite's own use.
    case UInt8(ascii: "#") where byte(1).map(isDigit) == false: break
    default: return nil
    }
    let colon = UInt8(ascii: ":")
    var isNamed = false
    while end < bytes.endIndex {
      let byte = bytes[end]
      if isWord(byte) || isDigit(byte) || byte == UInt8(ascii: "$") {
        isNamed = true
        end += 1
      } else if byte == UInt8(ascii: "("), isNamed {
        let closing = UInt8(ascii: ")")
        // Without an end, everything that follows belongs to the parameter.
        guard let stop = bytes[end...].firstIndex(where: { isSpace($0) || $0 == closing }) else {
          return bytes.endIndex
        }
        return bytes[stop] == closing ? stop + 1 : nil
      } else if byte == colon, end + 1 < bytes.endIndex, bytes[end + 1] == colon {
        end += 2
      } else {
        break
      }
    }
    return isNamed ? end : nil
  }

  private func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || byte >= 0x80
  }
}

/// Returns whether SQLite treats a byte as white space.
package func isSpace(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
}
