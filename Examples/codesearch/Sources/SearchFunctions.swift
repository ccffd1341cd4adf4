import Sluice

extension Connection {
  /// Lets SQL call what the queries of this program need from Swift.
  func addSearchFunctions() throws {
    try addFunction("language", options: .deterministic) { (path: String) in
      Language(path: path).name
    }
    // Typed, with as many arguments as the closure has: a file that is named after what is
    // searched for is more likely to be meant.
    try addFunction("mentions", options: .deterministic) { (path: String, words: String) in
      Mentions.count(of: words, in: path)
    }
    try addAggregateFunction("median", arity: 1, options: .deterministic) { Median() }
    try addTokenizer("identifiers") { arguments in IdentifierParts(base: arguments) }
    // ORDER BY alone uses this collation. Only this program could read an index with it.
    try addCollation("by_number", comparingUTF8: NaturalOrder.compare)
  }
}
