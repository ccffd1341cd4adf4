/// The declared type of a column.
struct DeclaredType: Hashable, Sendable {
  /// The name in uppercase, without a size; empty if no type is declared.
  let name: String

  init(_ declaration: String?) {
    let words = (declaration ?? "").prefix { $0 != "(" }.split(whereSeparator: \.isWhitespace)
    name = words.joined(separator: " ").uppercased()
  }

  /// The storage classes that the name implies, or all if it implies none.
  var kinds: AbstractValue.Kinds {
    switch affinity {
    case .integer: .integer
    case .text: .text
    case .real: .real
    case .blob where name.contains("BLOB"): .blob
    case .numeric where isBoolean: .integer
    default: .any
    }
  }

  /// The storage classes other than NULL that a `STRICT` table stores.
  var strictKinds: AbstractValue.Kinds {
    switch name {
    case "INT", "INTEGER": .integer
    // In an index, SQLite stores a REAL that is a whole number as an integer.
    case "REAL": .number
    case "TEXT": .text
    case "BLOB": .blob
    default: .any
    }
  }

  var isBoolean: Bool { name == "BOOLEAN" || name == "BOOL" }

  private enum Affinity { case integer, text, blob, real, numeric }

  /// The affinity that SQLite derives from the name; the order of these rules matters.
  private var affinity: Affinity {
    if name.contains("INT") { return .integer }
    if ["CHAR", "CLOB", "TEXT"].contains(where: name.contains) { return .text }
    if name.isEmpty || name.contains("BLOB") { return .blob }
    if ["REAL", "FLOA", "DOUB"].contains(where: name.contains) { return .real }
    return .numeric
  }
}
