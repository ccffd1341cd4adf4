import Sluice

extension QueryChecker {
  /// Reports where and why SQLite rejects a query, with a suggestion if there is one.
  mutating func refuse(_ text: QueryText, _ source: SourceText, _ error: any Error) {
    guard let error = error as? SQLiteError else {
      return complain("\(error)", text.offset, source)
    }
    let name = MissingName(error.message)
    if error.message == "incomplete input" {
      return complain(error.message, text.offset + text.sql.utf8.count, source)
    }
    let offset =
      error.offset.map { text.offset + $0 } ?? name?.offset(in: text.tokens) ?? text.offset
    complain(error.message + hint(error.message, name, text), offset, source)
  }

  private func hint(_ message: String, _ missing: MissingName?, _ text: QueryText) -> String {
    guard let missing else { return "" }
    let name = missing.name
    if let database = unknownDatabase(name, message) {
      return
        "; the migrations of a database that the program attaches as \(database) belong in Attached/\(database)"
    }
    if let best = missing.nearest(
      to: text.tokens, tables: schema.layout.tables.map { ($0.info.name, $0.columns.map(\.name)) },
      on: schema.connection)
    {
      return "; did you mean \(best)?"
    }
    let last = String(name.split(separator: ".").last ?? Substring(name))
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
}
