/// The type with which a column is declared.
struct DeclaredType: Hashable, Sendable {
  /// In capitals, without a size; empty if there is none.
  let name: String

  init(_ declaration: String?) {
    let words = (declaration ?? "").prefix { $0 != "(" }.split(whereSeparator: \.isWhitespace)
    name = words.joined(separator: " ").uppercased()
  }

  /// The storage classes that the words ask for; all, if the words do not say.
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

  /// The storage classes that a `STRICT` table stores, beside NULL.
  var strictKinds: AbstractValue.Kinds {
    switch name {
    case "INT", "INTEGER": .integer
    // An index holds a real that is a whole number as an integer.
    case "REAL": .number
    case "TEXT": .text
    case "BLOB": .blob
    default: .any
    }
  }

  var isBoolean: Bool { name == "BOOLEAN" || name == "BOOL" }

  private enum Affinity { case integer, text, blob, real, numeric }

  /// The affinity that SQLite gives to the words, by its own rules and in their order.
  private var affinity: Affinity {
    if name.contains("INT") { return .integer }
    if ["CHAR", "CLOB", "TEXT"].contains(where: name.contains) { return .text }
    if name.isEmpty || name.contains("BLOB") { return .blob }
    if ["REAL", "FLOA", "DOUB"].contains(where: name.contains) { return .real }
    return .numeric
  }
}
