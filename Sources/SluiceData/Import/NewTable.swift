import SluiceCore

/// The table that an import creates.
struct NewTable {
  private var guesses: [ColumnGuess] = []

  /// Considers the values of a row.
  mutating func add(_ columns: [Int], _ values: [ImportValue]) {
    for (column, value) in zip(columns, values) {
      while guesses.count <= column { guesses.append(ColumnGuess()) }
      guesses[column].add(value)
    }
  }

  /// Returns the SQL that creates the table; throws if no such table can be created.
  ///
  /// If `names` is empty, the columns are named after their numbers. `types` contains the types that the caller has
  /// chosen, by name. If each row has all columns, so that `isRectangular` is true, no two columns can have the same
  /// name.
  func sql(
    _ table: String, names: [String], isRectangular: Bool, key: [String],
    types: [String: StorageClass]
  ) throws -> String {
    var columns: [(name: String, type: String)] = []
    var used: Set<String> = []
    let count = max(names.count, guesses.count)
    var chosen = Dictionary(
      types.map { (foldedName($0), ($0, $1)) }, uniquingKeysWith: { first, _ in first })
    for index in 0..<count {
      let name = names.isEmpty ? "column\(index + 1)" : names[index]
      guard used.insert(foldedName(name)).inserted else {
        guard !isRectangular else {
          throw SQLiteError(.misuse, "Two columns are named \"\(name)\"; pass other names")
        }
        // JSON keys that differ only in case belong to the same column.
        continue
      }
      let type = chosen.removeValue(forKey: foldedName(name))?.1
      let guess = index < guesses.count ? guesses[index] : ColumnGuess()
      columns.append((name, try type.map(Self.name) ?? guess.type))
    }
    if let unknown = chosen.values.first?.0
      ?? key.first(where: { !used.contains(foldedName($0)) })
    {
      throw SQLiteError(.misuse, "The data has no column \"\(unknown)\"")
    }
    guard !columns.isEmpty else {
      throw SQLiteError(.misuse, "The data has no columns, so the table cannot be created")
    }
    var parts = columns.map { "\($0.name.quotedName) \($0.type)" }
    if !key.isEmpty {
      parts.append("PRIMARY KEY(\(key.map(\.quotedName).joined(separator: ", ")))")
    }
    return "CREATE TABLE \(table)(\(parts.joined(separator: ", "))) STRICT"
  }

  private static func name(_ type: StorageClass) throws -> String {
    guard type != .null else { throw SQLiteError(.misuse, "A column cannot have the type NULL") }
    return type.rawValue
  }
}
