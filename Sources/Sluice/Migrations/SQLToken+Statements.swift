import SluiceCore

extension SQLToken {
  /// Returns the statements of a script; a trigger with its body counts as one statement.
  package static func statements(_ tokens: [SQLToken]) -> [ArraySlice<SQLToken>] {
    var statements: [ArraySlice<SQLToken>] = []
    var rest = tokens[...]
    while !rest.isEmpty {
      var end = rest.startIndex
      while end < rest.endIndex {
        defer { end += 1 }
        if rest[end].is(sign: ";"), isStatement(rest[..<end]) { break }
      }
      end = min(end, rest.endIndex)
      statements.append(rest[..<end])
      rest = rest[end...]
    }
    return statements
  }

  /// Returns whether the tokens are a whole statement, which a semicolon after them ends.
  package static func isStatement(_ tokens: ArraySlice<SQLToken>) -> Bool {
    guard createsTrigger(tokens) else { return true }
    // The body of a trigger ends where `END` is at the beginning of a statement.
    let closing = tokens.suffix(2)
    return closing.first?.is(sign: ";") == true && closing.last?.is("end") == true
  }

  private static func createsTrigger(_ tokens: ArraySlice<SQLToken>) -> Bool {
    var words = tokens.prefix(6)
    if words.first?.is("explain") == true { words.removeFirst() }
    if words.first?.is("query") == true { words.removeFirst(min(2, words.count)) }
    guard words.popFirst()?.is("create") == true, let second = words.popFirst() else {
      return false
    }
    if second.is("trigger") { return true }
    return (second.is("temp") || second.is("temporary")) && words.first?.is("trigger") == true
  }
}
