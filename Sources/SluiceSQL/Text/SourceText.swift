/// The text of a file, in which places are found.
package struct SourceText: Sendable {
  /// The path that diagnostics give.
  package let path: String
  package let text: String
  /// Where each line begins, in bytes.
  private let lines: [Int]

  package init(path: String, text: String) {
    self.path = path
    self.text = text
    var lines = [0]
    for (offset, byte) in text.utf8.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(offset + 1)
    }
    self.lines = lines
  }

  /// A part of it, in bytes.
  package subscript(range: Range<Int>) -> String {
    String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }

  /// Where a byte stands, as compilers count: lines and bytes of the line, both from 1 on.
  package func place(at offset: Int) -> (line: Int, column: Int) {
    let offset = min(max(offset, 0), text.utf8.count)
    // The last line that does not begin behind it.
    var low = 0
    var high = lines.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, offset - lines[low] + 1)
  }
}
