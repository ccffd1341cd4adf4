import Sluice

extension Connection {
  /// Adds the functions, the tokenizer and the collation that this program's SQL uses.
  func addSearchFunctions() throws {
    try addFunction("language", options: .deterministic) { (path: String) in
      Language(path: path).name
    }
    // A file whose name contains a search word is a better match. The closure determines the number and types of
    // the arguments.
    try addFunction("mentions", options: .deterministic) { (path: String, words: String) in
      Mentions.count(of: words, in: path)
    }
    try addAggregateFunction("median", arity: 1, options: .deterministic) { Median() }
    try addTokenizer("identifiers") { arguments in IdentifierParts(base: arguments) }
    // Use this collation only in ORDER BY, because other programs could not read an index that uses it.
    try addCollation("by_number", comparingUTF8: NaturalOrder.compare)
  }
}
