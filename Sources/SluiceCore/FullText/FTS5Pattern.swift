/// A full-text query in which user input is treated only as words.
///
/// ```swift
/// let pattern = FTS5Pattern.allWords(input, prefixes: .last)
/// let found = try connection.query(
///   .column(.string), "SELECT text FROM note WHERE note MATCH \(pattern)")
/// ```
///
/// No text can cause a syntax error, or act as an operator or a column name. White space separates words. The
/// table's tokenizer may split them further: for example, `don't` may become a phrase of two words. The pattern
/// ignores words of `allWords`, and phrases of `near`, in which the tokenizer finds no token. If no token
/// remains, the pattern matches nothing.
///
/// Tables whose `detail` is not `full` do not support phrases. In such a table, a phrase throws an error, and so
/// does a word that the tokenizer splits into several tokens.
public struct FTS5Pattern: Hashable, Sendable {
  /// The pattern in FTS5's query language, for the right side of `MATCH`.
  public let text: String
  private let kind: Kind

  private enum Kind: Hashable {
    case single, all, any, other
    /// The matches of `whole`, except those of `others`, which contains the excluded patterns joined with OR.
    case except(whole: String, others: String)
  }

  private init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// The words of a text that are treated as prefixes, so that `data` also matches `database`.
  public enum Prefixes: Hashable, Sendable, CaseIterable {
    /// No words.
    case none
    /// The last word, which the user may still be typing.
    case last
    /// All words.
    case all
  }

  /// A pattern that matches nothing.
  public static let nothing = FTS5Pattern(.single, "\"\"")
}

extension FTS5Pattern {
  /// Returns a pattern that matches rows with all words of a text.
  public static func allWords(_ text: String, prefixes: Prefixes = .none) -> FTS5Pattern {
    words(text, prefixes, .other, " ")
  }

  /// Returns a pattern that matches rows with any word of a text.
  public static func anyWord(_ text: String, prefixes: Prefixes = .none) -> FTS5Pattern {
    words(text, prefixes, .any, " OR ")
  }

  /// Returns a pattern that matches rows with the words of a text as a phrase.
  ///
  /// If `startsColumn` is true, the phrase must be at the beginning of a column.
  public static func phrase(_ text: String, startsColumn: Bool = false) -> FTS5Pattern {
    FTS5Pattern(.single, (startsColumn ? "^ " : "") + quoted(text))
  }

  /// Returns a pattern that matches rows with the words of a text as a phrase, whose last word is a prefix.
  ///
  /// The last word also matches longer words that begin with it.
  public static func prefix(_ text: String, startsColumn: Bool = false) -> FTS5Pattern {
    FTS5Pattern(.single, (startsColumn ? "^ " : "") + quoted(text) + " *")
  }

  /// Returns a pattern that matches rows in which all phrases occur close together in one column.
  ///
  /// At most `distance` words may be between the end of the first phrase and the beginning of the last.
  public static func near(_ phrases: [String], distance: Int = 10) -> FTS5Pattern {
    guard !phrases.isEmpty else { return nothing }
    let distance = max(0, min(distance, 1_000_000))
    return FTS5Pattern(
      .single, "NEAR(\(phrases.map(quoted).joined(separator: " ")), \(distance))")
  }

  private static func words(
    _ text: String, _ prefixes: Prefixes, _ kind: Kind, _ separator: String
  ) -> FTS5Pattern {
    // FTS5's tokenizers treat NUL as a separator.
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
    guard let last = words.indices.last else { return nothing }
    let parts = words.indices.map { index in
      let isPrefix = prefixes == .all || (prefixes == .last && index == last)
      return quoted(String(words[index])) + (isPrefix ? " *" : "")
    }
    return FTS5Pattern(parts.count == 1 ? .single : kind, parts.joined(separator: separator))
  }

  /// Returns text as an FTS5 string, in which only quotes are special.
  ///
  /// A NUL becomes a space, because a C string would end there.
  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text.quoted("\"") }
    let scalars = text.unicodeScalars.map { $0 == "\0" ? " " : $0 }
    return String(String.UnicodeScalarView(scalars)).quoted("\"")
  }
}

extension FTS5Pattern {
  /// Returns a pattern that matches the rows that all given patterns match; without patterns, it matches nothing.
  public static func all(_ patterns: [FTS5Pattern]) -> FTS5Pattern {
    group(patterns, .all, " AND ")
  }

  /// Returns a pattern that matches the rows that any given pattern matches; without patterns, it matches nothing.
  public static func any(_ patterns: [FTS5Pattern]) -> FTS5Pattern {
    group(patterns, .any, " OR ")
  }

  /// Returns a pattern that matches the rows that this pattern matches and `other` does not.
  public func except(_ other: FTS5Pattern) -> FTS5Pattern {
    // Join the excluded patterns with OR: a chain of n NOT operators would be a tree of depth n, and FTS5 limits
    // the depth.
    if case .except(let whole, let others) = kind {
      let others = others + " OR " + other.inside(.any)
      return FTS5Pattern(.except(whole: whole, others: others), "\(whole) NOT (\(others))")
    }
    let whole = inside(.single)
    return FTS5Pattern(
      .except(whole: whole, others: other.inside(.any)), "\(whole) NOT \(other.inside(.single))")
  }

  /// Returns a pattern that searches only these columns; without columns, it matches nothing.
  ///
  /// A statement that uses the pattern throws if the table lacks one of the columns.
  public func inColumns(_ columns: [String]) -> FTS5Pattern {
    columns.isEmpty ? .nothing : filtered("", columns)
  }

  /// Returns a pattern that searches all columns except these.
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

  /// Returns the text for use inside another pattern, with parentheses only if they are needed.
  ///
  /// Superfluous parentheses would exhaust the parser's stack.
  private func inside(_ outer: Kind) -> String {
    kind == .single || (kind == outer && kind != .other) ? text : "(\(text))"
  }
}

extension FTS5Pattern: CustomStringConvertible {
  /// The pattern in FTS5's query language.
  public var description: String { text }
}

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with the text of a pattern, for the right side of `MATCH`; NULL for nil.
  public static func pattern(_ pattern: FTS5Pattern?) -> SQLParameter {
    pattern.map(\.text).sqlParameter
  }
}

extension SQL.StringInterpolation {
  /// Binds the text of a pattern, for the right side of `MATCH`.
  public mutating func appendInterpolation(_ pattern: FTS5Pattern) {
    appendInterpolation(.pattern(pattern))
  }
}
