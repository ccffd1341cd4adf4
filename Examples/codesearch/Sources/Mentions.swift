/// How often the name of a file speaks of what is searched for.
enum Mentions {
  /// How many of `words`, which white space separates, are part of `path`.
  static func count(of words: String, in path: String) -> Int {
    let path = path.lowercased()
    return words.lowercased().split(whereSeparator: \.isWhitespace).count { path.contains($0) }
  }
}
