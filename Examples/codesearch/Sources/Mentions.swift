/// The search words that the path of a file contains.
enum Mentions {
  /// Returns the number of `words`, separated by white space, that `path` contains in any case.
  static func count(of words: String, in path: String) -> Int {
    let path = path.lowercased()
    return words.lowercased().split(whereSeparator: \.isWhitespace).count { path.contains($0) }
  }
}
