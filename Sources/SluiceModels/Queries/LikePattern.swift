/// What LIKE compares with: a literal is a pattern, and other text is put in as it is.
///
/// ```swift
/// let withA = Person.where(.like(\.name, "A%"))
/// let found = Person.where(.like(\.name, .prefix(entered)))  // also if "%" was entered
/// ```
///
/// In a pattern `%` is any text, and `_` is any character. SQLite does not tell capital letters from
/// small ones, but only those of ASCII.
public struct LikePattern: Sendable, ExpressibleByStringLiteral {
  let text: String
  let hasEscapes: Bool

  public init(stringLiteral value: StaticString) {
    text = value.description
    hasEscapes = false
  }

  /// A pattern that was put together elsewhere.
  public init(pattern: String) {
    text = pattern
    hasEscapes = false
  }

  private init(escaped text: String) {
    self.text = text
    hasEscapes = true
  }

  /// What begins with a text.
  public static func prefix(_ text: String) -> LikePattern {
    LikePattern(escaped: escaped(text) + "%")
  }

  /// What ends with a text.
  public static func suffix(_ text: String) -> LikePattern {
    LikePattern(escaped: "%" + escaped(text))
  }

  /// What has a text in it.
  public static func containing(_ text: String) -> LikePattern {
    LikePattern(escaped: "%" + escaped(text) + "%")
  }

  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if "\\%_".unicodeScalars.contains(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}
