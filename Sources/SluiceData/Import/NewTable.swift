import SluiceCore

/// The table that an import creates.
struct NewTable {
  private var guesses: [ColumnGuess] = []
  /// The columns of the primary key.
  private let key: [String]

  init(key: [String]) { self.key = key }

  /// Considers the values of a row.
  mutating func add(_ columns: [Int], _ values: [ImportValue]) {
    for (column, value) in zip(columns, values) {
      while guesses.count <= column { guesses.append(newGuess()) }
      guesses[column].add(value)
    }
  }

  private func newGuess() -> ColumnGuess { ColumnGuess(mayBeKey: !key.isEmpty) }

  /// Returns the SQL that creates the table; throws if no such table can be created.
  ///
  /// If `names` is empty, the columns are named after their numbers. `types` contains the types that the caller has
  /// chosen, by name. If each row has all columns, so that `isRectangular` is true, no two columns can have the same
  /// name.
  func sql(
    _ table: String, names: [String], isRectangular: Bool, types: [String: StorageClass]
  ) throws -> String {
    var columns: [(name: String, sql: String)] = []
    var used: Set<String> = []
    let count = max(names.count, guesses.count)
    let keys = Set(key.map(foldedName))
    var chosen = Dictionary(
      types.map { (foldedName($0), ($0, $1)) }, uniquingKeysWith: { first, _ in first })
    for index in 0..<count {
      let name = names.isEmpty ? "column\(index + 1)" : names[index]
      let quoted = try name.quotedName(ofColumn: index + 1)
      guard used.insert(foldedName(name)).inserted else {
        guard !isRectangular else {
          let first = columns.first { foldedName($0.name) == foldedName(name) }?.name ?? name
          throw SQLiteError(
            .misuse,
            first.utf8.elementsEqual(name.utf8)
              ? "Two columns are named \"\(name)\"; pass other names"
              : "The columns \"\(first)\" and \"\(name)\" have the same name in SQL; pass other names"
          )
        }
        // JSON keys that differ only in case belong to the same column.
        continue
      }
      let chosenType = chosen.removeValue(forKey: foldedName(name))?.1
      let guess = index < guesses.count ? guesses[index] : newGuess()
      let isKey = keys.contains(foldedName(name))
      let type = try chosenType.map(Self.name) ?? guess.type(isKey: isKey)
      columns.append((name, "\(quoted) \(type)"))
    }
    if let unknown = chosen.values.first?.0
      ?? key.first(where: { !used.contains(foldedName($0)) })
    {
      throw SQLiteError(.misuse, "The data has no column \"\(unknown)\"")
    }
    guard !columns.isEmpty else {
      throw SQLiteError(.misuse, "The data has no columns, so the table cannot be created")
    }
    var parts = columns.map(\.sql)
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

extension String {
  /// The name of a column in a file as an SQL name; throws for a name that SQL cannot contain.
  func quotedName(ofColumn number: Int) throws -> String {
    guard !utf8.contains(0) else {
      throw SQLiteError(.mismatch, "The name of column \(number) contains a NUL")
    }
    return quotedName
  }
}
