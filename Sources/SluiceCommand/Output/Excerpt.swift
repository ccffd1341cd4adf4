import Foundation
import SluiceData

/// A line of SQL, and the position in it that an error concerns.
struct Excerpt: Sendable {
  /// The bytes of the line before the position, and those after it.
  private let before: [UInt8]
  private let after: [UInt8]
  /// Whether the line has more text at its beginning or end.
  private let isCut: (start: Bool, end: Bool)

  /// The number of bytes before and after the position that are kept, because a line can have megabytes.
  private static let reach = 2_000

  /// Creates the excerpt for an offset in a text; nil if the line is blank.
  ///
  /// `isBehindText` states that the first line has more text before its beginning.
  init?(_ text: some BidirectionalCollection<UInt8>, at offset: Int, isBehindText: Bool = false) {
    let newline = UInt8(ascii: "\n")
    let end = text.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex)
    // An offset inside a character belongs to the character.
    let place = Self.characterStart(end ?? text.endIndex, in: text)
    let head = text[..<place].suffix(Self.reach)
    let start = head.lastIndex(of: newline).map(text.index(after:)) ?? head.startIndex
    let isCutAtStart =
      start == text.startIndex ? isBehindText : text[text.index(before: start)] != newline
    let tail = text[place...].prefix(Self.reach).prefix { $0 != newline }
    let isCutAtEnd = tail.endIndex != text.endIndex && text[tail.endIndex] != newline
    before = Array(text[start..<place].drop { isCutAtStart && Self.isContinuation($0) })
    after = Array(!isCutAtEnd && tail.last == UInt8(ascii: "\r") ? tail.dropLast() : tail)
    isCut = (isCutAtStart, isCutAtEnd)
    guard (before + after).contains(where: { $0 > 0x20 }) else { return nil }
  }

  /// Reads the line from a file; nil if the file cannot be read.
  init?(of place: Failure.Place) {
    let url = URL(filePath: place.file)
    // Reading a pipe again would wait forever.
    guard let column = place.column,
      (try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey]))?
        .isRegularFile == true,
      let data = try? Data(contentsOf: url, options: .mappedIfSafe)
    else { return nil }
    var rest = data[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    for _ in 1..<max(1, place.line) {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      rest = rest[(end + 1)...]
    }
    self.init(rest, at: column - 1)
  }
}

extension Excerpt {
  /// Whether a byte continues a character of UTF-8.
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

  private static func characterStart<Text: BidirectionalCollection<UInt8>>(
    _ index: Text.Index, in text: Text
  ) -> Text.Index {
    var index = index
    while index > text.startIndex, index < text.endIndex, isContinuation(text[index]) {
      index = text.index(before: index)
    }
    return index
  }

  /// Returns the line, or a part of it that fits the width, and the caret below it.
  func lines(width: Int) -> StyledText {
    let head = Self.cells(before, from: 0)
    let column = head.reduce(0) { $0 + $1.width }
    let tail = Self.cells(after, from: column)
    // The caret needs a column, even behind the last character.
    let total = column + max(1, tail.reduce(0) { $0 + $1.width })
    guard total + (isCut.start ? 1 : 0) + (isCut.end ? 1 : 0) > width else {
      return Self.lines(head, tail, isCut)
    }
    let room = max(8, width - 2)
    var left = column <= room * 3 / 4 ? column : room / 2
    let right = Self.prefix(tail, room - left)
    // Space that a short end of the line leaves belongs to its beginning.
    left = max(left, room - max(1, right.reduce(0) { $0 + $1.width }))
    let shown = Array(Self.prefix(head.reversed(), left).reversed())
    return Self.lines(
      shown, right,
      (isCut.start || shown.count < head.count, isCut.end || right.count < tail.count))
  }

  private typealias Cell = (text: String, width: Int)

  /// Returns the characters as they are shown, with tabs as spaces, and control characters escaped.
  private static func cells(_ bytes: [UInt8], from start: Int) -> [Cell] {
    var column = start
    return String(decoding: bytes, as: UTF8.self).map { character in
      let text =
        character == "\t"
        ? String(repeating: " ", count: 8 - column % 8) : String(character).withoutControls
      let cell = (text, text.terminalWidth)
      column += cell.1
      return cell
    }
  }

  /// Returns the first cells that fit a width.
  private static func prefix(_ cells: some Sequence<Cell>, _ width: Int) -> [Cell] {
    var rest = width
    return cells.prefix { cell in
      rest -= cell.width
      return rest >= 0
    }
  }

  private static func lines(
    _ before: [Cell], _ after: [Cell], _ isCut: (start: Bool, end: Bool)
  ) -> StyledText {
    let head = (isCut.start ? "…" : "") + before.map(\.text).joined()
    let line = head + after.map(\.text).joined() + (isCut.end ? "…" : "")
    return StyledText(line + "\n" + String(repeating: " ", count: head.terminalWidth))
      + StyledText("^", .caret) + "\n"
  }
}
