/// A LIKE pattern: a literal with wildcards, or literal text, such as a prefix.
///
/// ```swift
/// let withA = Person.where(.like(\.name, "A%"))
/// let found = Person.where(.like(\.name, .prefix(entered)))  // matches an entered "%" literally
/// ```
///
/// In a pattern, `%` matches any text, and `_` matches any character. SQLite ignores the case of ASCII letters
/// only.
public struct LikePattern: Sendable, ExpressibleByStringLiteral {
  let text: String
  let hasEscapes: Bool

  public init(stringLiteral value: StaticString) {
    text = value.description
    hasEscapes = false
  }

  /// Creates a pattern with wildcards from a string that is not a literal.
  public init(pattern: String) {
    text = pattern
    hasEscapes = false
  }

  private init(escaped text: String) {
    self.text = text
    hasEscapes = true
  }

  /// Returns a pattern that matches text with this prefix.
  public static func prefix(_ text: String) -> LikePattern {
    LikePattern(escaped: escaped(text) + "%")
  }

  /// Returns a pattern that matches text with this suffix.
  public static func suffix(_ text: String) -> LikePattern {
    LikePattern(escaped: "%" + escaped(text))
  }

  /// Returns a pattern that matches text that contains this string.
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
