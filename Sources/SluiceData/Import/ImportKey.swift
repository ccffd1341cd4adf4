import Foundation
import SluiceCore

/// The key of an import, which each row must contain exactly as the file spells it.
///
/// Otherwise, SQLite would invent a rowid for NULL, and rows with different keys, such as `1.10` and `1.1` in a column
/// for numbers, would overwrite each other.
struct ImportKey {
  /// The indexes of the columns in the table.
  let columns: [Int]
  /// The term by which the unique index of the key compares each column.
  let terms: [String]
  private var parts: [Part] = []
  private let number: Statement?

  private struct Part {
    let name: String
    let type: String
    let affinity: Affinity
    var spelling = KeySpelling()
  }

  /// The conversion of a value that is stored in a column.
  private enum Affinity {
    case none, text, integer, real
  }

  /// Inspects the columns of a table that are the key; there are none if `columns` is empty.
  init(
    _ columns: [Int], of all: [ColumnInfo], on connection: Connection, table: String,
    database: String
  ) throws {
    self.columns = columns
    guard !columns.isEmpty else {
      (terms, number) = ([], nil)
      return
    }
    let names = columns.map { all[$0].name }
    let folded = Set(names.map(foldedName))
    let index = try connection.indexes(of: table, database: database).first { index in
      index.isUnique && !index.isPartial && index.terms.count == names.count
        && Set(index.terms.map { foldedName($0.column ?? "") }) == folded
    }
    terms = names.map { name in
      let term = index?.terms.first { foldedName($0.column ?? "") == foldedName(name) }
      return name.quotedName + (term.map { " COLLATE \($0.collation.quotedName)" } ?? "")
    }
    // Compared with a real, text is converted as in a column for numbers, and other text is greater than any number.
    number = try connection.prepare(sql: "SELECT ? <= CAST(9e999 AS REAL)")
    let isStrict = try connection.table(named: table, database: database)?.isStrict == true
    for column in columns {
      let type = all[column].declaredType ?? ""
      let affinity = Self.affinity(of: type, isStrict: isStrict)
      parts.append(Part(name: all[column].name, type: type, affinity: affinity))
    }
  }

  /// Determines the affinity by SQLite's rules; `NUMERIC` converts text to the same numbers as `INTEGER`.
  private static func affinity(of type: String, isStrict: Bool) -> Affinity {
    let type = type.uppercased()
    if type.isEmpty || isStrict && type == "ANY" { return .none }
    if type.contains("INT") { return .integer }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
    if type.contains("BLOB") { return .none }
    return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? .real : .integer
  }
}

extension ImportKey {
  /// Throws unless a column of the key, given by its index in `columns`, stores the value exactly.
  mutating func check(_ value: ImportValue, at index: Int) throws {
    let part = parts[index]
    let isExact: Bool
    switch (value, part.affinity) {
    case (.null, _):
      throw SQLiteError(.constraintNotNull, "The key column \"\(part.name)\" is NULL")
    case (.integer(let value), .real): isExact = Double(exactly: value) != nil
    // SQLite writes a real as text with 15 digits.
    case (.real(let value), .text): isExact = Double(String(format: "%.15g", value)) == value
    case (.text(let text), .integer), (.untyped(let text), .integer),
      (.text(let text), .real), (.untyped(let text), .real):
      isExact = try isExactNumber(text, index)
    case (.integer, _), (.real, _), (.text, _), (.untyped, _): isExact = true
    }
    guard isExact else {
      throw SQLiteError(
        .mismatch,
        "The key column \"\(part.name)\" does not store \(value.excerpt) exactly, because its type is "
          + "\(part.type); choose the type TEXT, or write the number as SQLite does")
    }
  }

  /// Returns whether text is stored exactly in a column for numbers: as text, or as a number with this spelling.
  private mutating func isExactNumber(_ text: String, _ index: Int) throws -> Bool {
    switch PlainNumber(text) {
    case .integer(let value):
      return parts[index].spelling.accepts(value)
        && (parts[index].affinity == .integer || Double(exactly: value) != nil)
    case .real(let value, isExact: true):
      return parts[index].spelling.accepts(value, text)
    case .real, nil:
      guard let number else { return true }
      return try number.bind(text).first(.column(.bool)) != true
    }
  }
}

/// The spelling of the numbers in a column of a key.
///
/// Each number must have one spelling. Whole numbers can be written as `1` or as `1.0`, but only in one of these ways.
struct KeySpelling {
  private var hasPoint: Bool?

  mutating func accepts(_ integer: Int64) -> Bool { accepts(point: false) }

  mutating func accepts(_ real: Double, _ text: String) -> Bool {
    guard real.jsonText == text, real != 0 || real.sign == .plus else { return false }
    // An integer of 64 bits can have the same value.
    guard real == real.rounded(), real.magnitude < 0x1p63 else { return true }
    return text.hasSuffix(".0") && accepts(point: true)
  }

  private mutating func accepts(point: Bool) -> Bool {
    if hasPoint == nil { hasPoint = point }
    return hasPoint == point
  }
}

extension ImportValue {
  /// The value for a message, in at most 50 characters.
  fileprivate var excerpt: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): value.jsonText
    case .text(let text), .untyped(let text):
      "\"\(text.prefix(50))\(text.count > 50 ? "…" : "")\""
    }
  }
}
