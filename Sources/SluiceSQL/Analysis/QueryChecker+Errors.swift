import Sluice

extension QueryChecker {
  /// Reports where and why SQLite rejects a query, with a suggestion if there is one.
  mutating func refuse(_ text: QueryText, _ source: SourceText, _ error: any Error) {
    guard let error = error as? SQLiteError else {
      return complain("\(error)", text.offset, source)
    }
    let name = error.message.missingName
    if error.message == "incomplete input" {
      return complain(error.message, text.offset + text.sql.utf8.count, source)
    }
    let offset =
      error.offset.map { text.offset + $0 } ?? name.map { text.offset(ofMissing: $0) }
      ?? text.offset
    complain(error.message + hint(error.message, name, text), offset, source)
  }

  private func hint(_ message: String, _ name: String?, _ text: QueryText) -> String {
    guard let name else { return "" }
    if let database = unknownDatabase(name, message) {
      return
        "; the migrations of a database that the program attaches as \(database) belong in Attached/\(database)"
    }
    let last = String(name.split(separator: ".").last ?? Substring(name))
    let known: [String] =
      if message.hasPrefix("no such table") {
        schema.layout.tables.map(\.info.name)
      } else if message.hasPrefix("no such column") || message.contains(" has no column named ") {
        tables(in: text).flatMap { $0.columns.map(\.name) }
      } else if message.hasPrefix("no such function") {
        functionNames
      } else {
        []
      }
    if let best = nearest(to: last, among: known), best.lowercased() != last.lowercased() {
      return "; did you mean \(best)?"
    }
    if message.hasPrefix("no such function") {
      return
        "; if the program adds the function, declare \"-- @function \(last)(1)\" in \(Declarations.fileName)"
    }
    if message.hasPrefix("no such collation") {
      return
        "; if the program adds the collation, declare \"-- @collation \(last)\" in \(Declarations.fileName)"
    }
    return ""
  }

  /// Returns the unknown database in a qualified name; nil if the name is not qualified, or the database exists.
  private func unknownDatabase(_ name: String, _ message: String) -> String? {
    let parts = name.split(separator: ".").map(String.init)
    let isTable = message.hasPrefix("no such table") && parts.count == 2
    guard isTable || message.hasPrefix("unknown database"), let database = parts.first else {
      return nil
    }
    let known = Set(["main", "temp"] + schema.layout.tables.map { $0.database.lowercased() })
    return known.contains(database.lowercased()) ? nil : database
  }

  /// Returns the known tables that a query names, or all tables if it names none of them.
  private func tables(in text: QueryText) -> [DescribedTable] {
    let words = Set(text.tokens.map(\.content))
    let named = schema.layout.tables.filter {
      words.contains(Array($0.info.name.lowercased().utf8))
    }
    return named.isEmpty ? schema.layout.tables : named
  }

  private var functionNames: [String] {
    // If the list of functions cannot be read, there is no suggestion.
    (try? schema.connection.query(
      .column(.string), sql: "SELECT DISTINCT name FROM pragma_function_list")) ?? []
  }
}

extension QueryText {
  /// Returns the offset of a name that SQLite cannot find; for a qualified name, of its last part.
  func offset(ofMissing name: String) -> Int {
    let parts = name.lowercased().split(separator: ".").map { Array($0.utf8) }
    guard let last = parts.last else { return offset }
    let token = tokens.first { $0.content == last && $0.kind != .string }
    return token?.range.lowerBound ?? offset
  }
}

extension String {
  /// The name that SQLite reports as missing or misused.
  var missingName: String? {
    for words in [
      "no such table: ", "no such column: ", "no such function: ", "no such collation sequence: ",
      " has no column named ", "ambiguous column name: ", "no such view: ", "no such index: ",
      "unknown database ",
      "wrong number of arguments to function ", "misuse of aggregate: ",
      "misuse of window function ",
      "misuse of aggregate function ",
    ] {
      guard let range = firstRange(of: words) else { continue }
      let rest = self[range.upperBound...]
      return String(rest.hasSuffix("()") ? rest.dropLast(2) : rest)
    }
    return nil
  }
}
