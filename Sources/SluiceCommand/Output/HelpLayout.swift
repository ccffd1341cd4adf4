/// The layout of help texts in lines of a width.
struct HelpLayout {
  let width: Int

  /// Returns the paragraphs of a text, which empty lines separate, in lines that fit the width.
  func wrapped(_ text: String) -> String {
    text.split(separator: "\n\n").map { Self.lines(of: $0, width).joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  /// Returns a list of words and their help texts, with the lines of each help text aligned.
  func list(_ title: String, _ rows: [(String, String)]) -> StyledText {
    let indent = (rows.map(\.0.count).max() ?? 0) + 5
    let items = rows.map { word, help in
      // A line break in a help text begins another line.
      let lines = help.split(separator: "\n").flatMap { Self.lines(of: $0, width - indent) }
      let separator = "\n" + String(repeating: " ", count: indent)
      return "  \(word)".padded(to: indent) + lines.joined(separator: separator) + "\n"
    }
    return StyledText(title, .heading) + "\n\(items.joined())"
  }

  /// Returns the words of a text in lines of at most `width` characters.
  private static func lines(of text: Substring, _ width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
