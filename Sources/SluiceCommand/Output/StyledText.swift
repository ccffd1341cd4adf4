/// Text whose parts have styles, which only a terminal shows.
struct StyledText: ExpressibleByStringInterpolation {
  /// The style of a part, as the parameters of an escape sequence.
  enum Style: String {
    case error = "1;31"
    case warning = "1;35"
    case note = "36"
    case caret = "32"
    case scan = "33"
    case heading = "1"
  }

  private(set) var parts: [(text: String, style: Style?)]

  init(_ text: String, _ style: Style? = nil) { parts = [(text, style)] }

  init(stringLiteral text: String) { self.init(text) }

  static func + (first: StyledText, second: StyledText) -> StyledText {
    var sum = first
    sum.parts += second.parts
    return sum
  }

  static func += (first: inout StyledText, second: StyledText) { first = first + second }

  /// Returns the text with control characters escaped, and with the sequences of its styles if `isColored` is true.
  func text(isColored: Bool) -> String {
    parts.map { text, style in
      guard isColored, let style, !text.isEmpty else { return text.withoutControls }
      return "\u{1b}[\(style.rawValue)m\(text.withoutControls)\u{1b}[0m"
    }.joined()
  }
}

extension [StyledText] {
  func joined(separator: String = "") -> StyledText {
    var sum = StyledText("")
    for (index, text) in enumerated() { sum += index == 0 ? text : StyledText(separator) + text }
    return sum
  }
}

extension String {
  /// The text with control characters escaped, because they could control a terminal.
  ///
  /// Names in a database can contain any character.
  var withoutControls: String {
    guard unicodeScalars.contains(where: \.isEscaped) else { return self }
    return unicodeScalars.map { $0.isEscaped ? $0.escapedControl : String($0) }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a control character other than a tab or a line feed.
  fileprivate var isEscaped: Bool {
    self != "\n" && self != "\t" && properties.generalCategory == .control
  }

  fileprivate var escapedControl: String { "\\u{\(String(value, radix: 16))}" }
}
