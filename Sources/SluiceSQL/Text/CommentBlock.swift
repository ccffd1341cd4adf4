import Sluice

/// The comments between two statements.
struct CommentBlock {
  private(set) var annotations: [Annotation] = []
  /// The comment directly above the statement, without its hyphens and annotations.
  private(set) var documentation: [String] = []

  /// Creates a block from the text between two statements.
  ///
  /// A comment on the same line as the semicolon before it documents the preceding statement.
  init(
    _ source: SourceText, _ range: Range<Int>, _ diagnostics: inout [Diagnostic],
    startsLine: Bool = false
  ) {
    let bytes = Self.withoutBlocks(source.text.utf8.dropFirst(range.lowerBound).prefix(range.count))
    var start = 0
    var isFirst = !startsLine && range.lowerBound > 0
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      defer {
        start += line.count + 1
        isFirst = false
      }
      let text = String(decoding: line, as: UTF8.self)
      guard let comment = text.trimmed.commentText else {
        // This line is blank, or it is the last line, on which the statement begins. Comments above a blank line
        // do not belong to the statement.
        if index < lines.count - 1 { documentation = [] }
        continue
      }
      if comment.hasPrefix("@") {
        let at = line.firstIndex(of: UInt8(ascii: "@")).map { $0 - line.startIndex } ?? 0
        read(comment, range.lowerBound + start + at, source, &diagnostics)
      } else if !isFirst {
        documentation.append(comment)
      }
    }
    while documentation.first?.isEmpty == true { documentation.removeFirst() }
    while documentation.last?.isEmpty == true { documentation.removeLast() }
  }

  /// Returns the text with blanks in place of block comments such as `/* … */`; their line ends are kept.
  private static func withoutBlocks(_ text: some Sequence<UInt8>) -> [UInt8] {
    var bytes = Array(text)
    let newline = UInt8(ascii: "\n")
    var isInLine = false
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if bytes[index] == newline {
        isInLine = false
      } else if !isInLine, rest.starts(with: "--".utf8) {
        isInLine = true
      } else if !isInLine, rest.starts(with: "/*".utf8) {
        let end = rest.dropFirst(2).firstRange(of: "*/".utf8)?.upperBound ?? bytes.count
        for place in index..<end where bytes[place] != newline { bytes[place] = UInt8(ascii: " ") }
        index = end
        continue
      }
      index += 1
    }
    return bytes
  }

  private mutating func read(
    _ comment: String, _ offset: Int, _ source: SourceText, _ diagnostics: inout [Diagnostic]
  ) {
    let rest = comment.dropFirst()
    let word = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    guard let known = Annotation.Word(rawValue: word) else {
      let hint = nearest(to: word, among: Annotation.Word.allCases.map(\.rawValue))
      diagnostics.append(
        Diagnostic(
          "there is no annotation @\(word)\(hint.map { "; did you mean @\($0)?" } ?? "; to write a plain comment, do not begin it with @")",
          at: offset, in: source))
      return
    }
    let text = rest.dropFirst(word.count)
    annotations.append(
      Annotation(
        word: known, offset: offset, text: text.trimmed,
        textOffset: offset + 1 + word.utf8.count + text.blanks))
  }
}

extension String {
  /// The text of a comment line, or nil if the line is not a comment.
  fileprivate var commentText: String? {
    guard hasPrefix("--") else { return nil }
    return drop { $0 == "-" }.trimmed
  }
}
