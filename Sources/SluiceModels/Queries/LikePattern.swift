/// A pattern of LIKE: a literal is a pattern, and interpolated text matches itself.
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

  /// Matches text that begins with a prefix.
  public static func prefix(_ text: String) -> LikePattern {
    LikePattern(escaped: escaped(text) + "%")
  }

  /// Matches text that ends with a suffix.
  public static func suffix(_ text: String) -> LikePattern {
    LikePattern(escaped: "%" + escaped(text))
  }

  /// Matches text that contains a text.
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
