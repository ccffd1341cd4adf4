package import Sluice

/// A name that SQLite reports as missing or misused.
package struct MissingName {
  private let message: String
  /// The name, which can be qualified.
  let name: String

  /// Reads a message of SQLite; returns nil if it reports no name.
  init?(_ message: String) {
    for words in [
      "no such table: ", "no such column: ", "no such function: ", "no such collation sequence: ",
      " has no column named ", "ambiguous column name: ", "no such view: ", "no such index: ",
      "unknown database ",
      "wrong number of arguments to function ", "misuse of aggregate: ",
      "misuse of window function ",
      "misuse of aggregate function ",
    ] {
      guard let range = message.firstRange(of: words) else { continue }
      let rest = message[range.upperBound...]
      self.message = message
      name = String(rest.hasSuffix("()") ? rest.dropLast(2) : rest)
      return
    }
    return nil
  }

  /// Returns the name that is most similar, in a statement with these tokens; nil if there is none.
  func nearest(
    to tokens: [SQLToken], tables: [(name: String, columns: [String])], on connection: Connection
  ) -> String? {
    let last = String(name.split(separator: ".").last ?? Substring(name))
    let known: [String]
    if message.hasPrefix("no such table") {
      known = tables.map(\.name)
    } else if message.hasPrefix("no such column") || message.contains(" has no column named ") {
      // If the statement names none of the tables, all of them count.
      let words = Set(tokens.map(\.content))
      let named = tables.filter { words.contains(Array($0.name.lowercased().utf8)) }
      known = (named.isEmpty ? tables : named).flatMap(\.columns)
    } else if message.hasPrefix("no such function") {
      // If the list of functions cannot be read, there is no suggestion.
      let sql = "SELECT DISTINCT name FROM pragma_function_list"
      known = (try? connection.query(.column(.string), sql: sql)) ?? []
    } else {
      return nil
    }
    let best = SluiceSQL.nearest(to: last, among: known)
    return best?.lowercased() == last.lowercased() ? nil : best
  }

  /// Returns the offset of the name among these tokens; for a qualified name, of its last part.
  func offset(in tokens: [SQLToken]) -> Int? {
    let last = name.lowercased().split(separator: ".").last.map { Array($0.utf8) }
    return tokens.first { $0.content == last && $0.kind != .string }?.range.lowerBound
  }

  /// Returns the offset in SQL of the name that a message of SQLite reports.
  package static func offset(for message: String, in sql: String) -> Int? {
    MissingName(message)?.offset(in: SQLToken.tokens(of: sql))
  }

  /// Returns the end of a message of SQLite that suggests a similar name of the database; empty if there is none.
  package static func suggestion(
    for message: String, in sql: String, on connection: Connection
  ) -> String {
    // If the schema cannot be read, there is no suggestion.
    let tables = (try? connection.tables()) ?? []
    let best = MissingName(message)?.nearest(
      to: SQLToken.tokens(of: sql),
      tables: tables.map { table in
        (table.name, (try? connection.columns(of: table.name).map(\.name)) ?? [])
      }, on: connection)
    return best.map { "; did you mean \($0)?" } ?? ""
  }
}
