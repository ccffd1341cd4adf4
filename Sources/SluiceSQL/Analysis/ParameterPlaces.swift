import Sluice

/// The positions of a query's parameters.
struct ParameterPlaces {
  private let tokens: [SQLToken]
  private let start: Int
  /// The token indexes of parameter prefixes, by parameter name without the prefix.
  private var places: [[UInt8]: [Int]] = [:]

  init(_ text: QueryText) {
    tokens = text.tokens
    start = text.offset
    for (index, token) in tokens.enumerated().dropLast()
    where token.is(sign: ":") || token.is(sign: "@") || token.is(sign: "$") {
      let word = tokens[index + 1]
      guard token.range.upperBound == word.range.lowerBound else { continue }
      places[word.content, default: []].append(index)
    }
  }

  private subscript(name: String) -> [Int] {
    SQLToken.tokens(of: name).first.flatMap { places[$0.content] } ?? []
  }

  /// Returns the byte offset of a parameter's first occurrence.
  func offset(of name: String) -> Int {
    self[name].first.map { tokens[$0].range.lowerBound } ?? start
  }

  /// Returns whether the query tests a parameter for NULL, which implies that the parameter can be NULL.
  func testForNull(_ name: String) -> Bool {
    self[name].contains { place in
      let after = tokens.indices.contains(place + 2) ? tokens[place + 2] : nil
      if after?.is("is") == true || after?.is("isnull") == true || after?.is("notnull") == true {
        return true
      }
      guard place >= 2, tokens[place - 1].is(sign: "(") else { return false }
      return tokens[place - 2].is("coalesce") || tokens[place - 2].is("ifnull")
    }
  }

  /// Returns whether a parameter is the array that the table-valued function `array` reads.
  func array(_ name: String) -> Bool {
    self[name].contains { place in
      place > 1 && tokens[place - 1].is(sign: "(")
        && (tokens[place - 2].is("array") || tokens[place - 2].is("sluice_array"))
    }
  }

  /// Returns whether a parameter follows MATCH, and is therefore the search text of a full-text query.
  func match(_ name: String) -> Bool {
    self[name].contains { $0 > 0 && tokens[$0 - 1].is("match") }
  }
}
