/// A full-text query, in which text from outside is never more than words.
///
/// ```swift
/// let pattern = FTS5Pattern.allWords(input, prefixes: .last)
/// let found = try connection.query(
///   .column(.string), "SELECT text FROM note WHERE note MATCH \(pattern)")
/// ```
///
/// No text can make it a syntax error, or mean an operator or a column. White space separates words; what
/// else there is of them is up to the tokenizer of the table, so that `don't` may be a phrase of two. Of
/// `allWords`, those in which it finds no token are left out, and so are they of `near`. Where no token is
/// left at all, nothing is found.
///
/// Tables whose `detail` is not `full` know no phrases: one throws, and so does a word that becomes one.
public struct FTS5Pattern: Hashable, Sendable {
  /// The pattern in the language of FTS5, for the right side of `MATCH`.
  public let text: String
  private let kind: Kind

  private enum Kind: Hashable {
    case single, all, any, other
    /// With the patterns that are not to be found, as parts of one that finds any of them.
    case except(whole: String, others: String)
  }

  private init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// Which words are found also as the beginning of a longer one.
  public enum Prefixes: Hashable, Sendable, CaseIterable {
    /// None of them.
    case none
    /// The last one, which somebody may still be typing.
    case last
    /// All of them.
    case all
  }

  /// Finds nothing.
  public static let nothing = FTS5Pattern(.single, "\"\"")
}

extension FTS5Pattern {
  /// Finds rows that have all words of a text.
  public static func allWords(_ text: String, prefixes: Prefixes = .none) -> FTS5Pattern {
    words(text, prefixes, .other, " ")
  }

  /// Finds rows that have any word of a text.
  public static func anyWord(_ text: String, prefixes: Prefixes = .none) -> FTS5Pattern {
    words(text, prefixes, .any, " OR ")
  }

  /// Finds rows that have the words of a text one behind the other; if `startsColumn` says so, at the
  /// beginning of a column.
  public static func phrase(_ text: String, startsColumn: Bool = false) -> FTS5Pattern {
    FTS5Pattern(.single, (startsColumn ? "^ " : "") + quoted(text))
  }

  /// Finds rows that have the words of a text one behind the other, the last of which may be the
  /// beginning of a longer word.
  public static func prefix(_ text: String, startsColumn: Bool = false) -> FTS5Pattern {
    FTS5Pattern(.single, (startsColumn ? "^ " : "") + quoted(text) + " *")
  }

  /// Finds rows that have all phrases in one column, with no more than `distance` words between the end
  /// of the first and the beginning of the last.
  public static func near(_ phrases: [String], distance: Int = 10) -> FTS5Pattern {
    guard !phrases.isEmpty else { return nothing }
    let distance = max(0, min(distance, 1_000_000))
    return FTS5Pattern(
      .single, "NEAR(\(phrases.map(quoted).joined(separator: " ")), \(distance))")
  }

  private static func words(
    _ text: String, _ prefixes: Prefixes, _ kind: Kind, _ separator: String
  ) -> FTS5Pattern {
    // A NUL separates words to FTS5's own tokenizers.
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
    guard let last = words.indices.last else { return nothing }
    let parts = words.indices.map { index in
      let isPrefix = prefixes == .all || (prefixes == .last && index == last)
      return quoted(String(words[index])) + (isPrefix ? " *" : "")
    }
    return FTS5Pattern(parts.count == 1 ? .single : kind, parts.joined(separator: separator))
  }

  /// A string of FTS5, in which only a quote is special; to C, a NUL would be its end.
  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text.quoted("\"") }
    let scalars = text.unicodeScalars.map { $0 == "\0" ? " " : $0 }
    return String(String.UnicodeScalarView(scalars)).quoted("\"")
  }
}

extension FTS5Pattern {
  /// Finds what all patterns find; nothing if there are none.
  public static func all(_ patterns: [FTS5Pattern]) -> FTS5Pattern {
    group(patterns, .all, " AND ")
  }

  /// Finds what any of the patterns finds; nothing if there are none.
  public static func any(_ patterns: [FTS5Pattern]) -> FTS5Pattern {
    group(patterns, .any, " OR ")
  }

  /// Finds what this pattern finds, and the other one does not.
  public func except(_ other: FTS5Pattern) -> FTS5Pattern {
    // One NOT behind the other would be a tree as deep as there are of them, which FTS5 limits.
    if case .except(let whole, let others) = kind {
      let others = others + " OR " + other.inside(.any)
      return FTS5Pattern(.except(whole: whole, others: others), "\(whole) NOT (\(others))")
    }
    let whole = inside(.single)
    return FTS5Pattern(
      .except(whole: whole, others: other.inside(.any)), "\(whole) NOT \(other.inside(.single))")
  }

  /// Finds what this pattern finds in some columns; nothing if there are none.
  ///
  /// A column that the table does not have throws when the pattern is used.
  public func inColumns(_ columns: [String]) -> FTS5Pattern {
    columns.isEmpty ? .nothing : filtered("", columns)
  }

  /// Finds what this pattern finds in all columns but some.
  public func outsideColumns(_ columns: [String]) -> FTS5Pattern {
    columns.isEmpty ? self : filtered("- ", columns)
  }

  private func filtered(_ sign: String, _ columns: [String]) -> FTS5Pattern {
    let names = columns.map(Self.quoted).joined(separator: " ")
    return FTS5Pattern(.other, "\(sign){\(names)} : (\(text))")
  }

  private static func group(
    _ patterns: [FTS5Pattern], _ kind: Kind, _ separator: String
  ) -> FTS5Pattern {
    guard patterns.count > 1 else { return patterns.first ?? nothing }
    return FTS5Pattern(kind, patterns.map { $0.inside(kind) }.joined(separator: separator))
  }

  /// The text as a part of a pattern of some kind; parentheses that are not needed would make SQLite's
  /// parser run out of room.
  private func inside(_ outer: Kind) -> String {
    kind == .single || (kind == outer && kind != .other) ? text : "(\(text))"
  }
}

extension FTS5Pattern: CustomStringConvertible {
  /// The pattern in the language of FTS5.
  public var description: String { text }
}

extension SQLBindable where Self == SQLParameter {
  /// A pattern, for the right side of `MATCH`; NULL for nil.
  public static func pattern(_ pattern: FTS5Pattern?) -> SQLParameter {
    pattern.map(\.text).sqlParameter
  }
}

extension SQL.StringInterpolation {
  /// Binds a pattern, for the right side of `MATCH`.
  public mutating func appendInterpolation(_ pattern: FTS5Pattern) {
    appendInterpolation(.pattern(pattern))
  }
}
