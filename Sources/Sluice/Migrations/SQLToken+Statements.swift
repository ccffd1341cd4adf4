import SluiceCore

extension SQLToken {
  /// Returns the statements of a script; a trigger with its body counts as one statement.
  package static func statements(_ tokens: [SQLToken]) -> [ArraySlice<SQLToken>] {
    var statements: [ArraySlice<SQLToken>] = []
    var rest = tokens[...]
    while !rest.isEmpty {
      let isTrigger = createsTrigger(rest)
      var end = rest.startIndex
      while end < rest.endIndex {
        defer { end += 1 }
        guard rest[end].is(sign: ";") else { continue }
        // The body of a trigger ends where `END` is at the beginning of a statement.
        let closing = rest[..<end].suffix(2)
        if !isTrigger || (closing.first?.is(sign: ";") == true && closing.last?.is("end") == true) {
          break
        }
      }
      end = min(end, rest.endIndex)
      statements.append(rest[..<end])
      rest = rest[end...]
    }
    return statements
  }

  /// Returns whether a statement creates a trigger, so that its body contains semicolons.
  package static func createsTrigger(_ tokens: ArraySlice<SQLToken>) -> Bool {
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
