/// A function that counts the search words in the path of a file.
enum Mentions {
  /// Returns how many of the `words`, which are separated by white space, `path` contains, ignoring case.
  static func count(of words: String, in path: String) -> Int {
    let path = path.lowercased()
    return words.lowercased().split(whereSeparator: \.isWhitespace).count { path.contains($0) }
  }
}
