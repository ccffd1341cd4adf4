import SluiceCore

/// A reader that provides the current row to decoders.
final class RowReader {
  let settings: CodingSettings
  /// The row that is being decoded; nil if there is none.
  ///
  /// `exclusivity(unchecked)` is safe, because the property changes only before and after a row is decoded, when
  /// nothing borrows it.
  @exclusivity(unchecked) private var row: Row?
  /// The name of the part of the row that is being decoded, with a period; empty for the row itself.
  @exclusivity(unchecked) private var prefix = ""
  private let names: StoredNames
  /// The columns of a model, which must all exist; empty for other values.
  private let modelColumns: Set<String>
  /// The columns of a model's nested values, by the coding key of the property.
  private let groups: [String: ColumnGroup]
  private let values: ValueDecoding
  /// The conversions of the properties that have representations of their own.
  private let others: [String: ValueDecoding]

  init(_ settings: CodingSettings, model columns: ReadColumns?) {
    self.settings = settings
    modelColumns = Set(columns?.names ?? [])
    groups = columns?.groups ?? [:]
    names = StoredNames(settings.strategies.keys)
    values = ValueDecoding(settings)
    others = settings.representations.mapValues(ValueDecoding.init)
  }

  /// Runs `body` while properties are those of a part of the row.
  func inside<T>(_ part: String, _ body: () throws -> T) rethrows -> T {
    let outer = unsafe prefix
    unsafe prefix = "\(outer)\(part)."
    defer { unsafe prefix = outer }
    return try body()
  }

  /// Returns the conversions for a property.
  @inline(__always)
  func values(of key: (any CodingKey)?) -> ValueDecoding {
    others.isEmpty ? values : otherValues(of: key)
  }

  @inline(never)
  private func otherValues(of key: (any CodingKey)?) -> ValueDecoding {
    key.flatMap { others[unsafe prefix + $0.stringValue] } ?? values
  }

  /// Runs `body` with a row as the current row.
  @inline(__always)
  func read<T>(_ row: consuming Row, in body: () throws -> T) throws -> T {
    // A type that decodes itself may decode another row of the same statement.
    var other: Row? = row
    unsafe swap(&other, &self.row)
    defer { unsafe swap(&other, &self.row) }
    return try body()
  }

  /// Calls `body` with the current row, which is borrowed.
  @inline(__always)
  func read<T>(_ body: (borrowing Row) throws -> T) throws -> T {
    switch unsafe row {
    case .some(let row): return try body(row)
    case .none: throw Self.kept
    }
  }

  private static var kept: SQLiteError {
    SQLiteError(.misuse, "The decoder was used after the row was decoded; do not keep it")
  }

  /// Returns the index of the column for a property; nil if there is none.
  @inline(__always)
  func column(_ key: String) throws -> Int? {
    names.areMade ? try converted(key) : try read { row in try row.column(named: key) }
  }

  /// Returns the name of the column that a model needs for a property; nil for a property without a column.
  @inline(never)
  private func modelColumn(_ key: String) -> String? {
    let name = names.areMade ? names[key] : key
    return modelColumns.contains(name) ? name : nil
  }

  @inline(never)
  private func converted(_ key: String) throws -> Int? {
    let converted = names[key]
    return try read { row in try row.column(named: converted) ?? row.column(named: key) }
  }

  /// Returns nil for an optional property without a column; throws if a model needs the column.
  func absent<T>(_ key: any CodingKey) throws -> T? {
    guard !modelColumns.isEmpty else { return nil }
    if unsafe prefix.isEmpty, modelColumn(key.stringValue) != nil { throw missing(key) }
    if isGroup(key.stringValue) { throw missing(key) }
    return nil
  }

  /// Returns whether the property of a model is a nested value with columns of its own.
  @inline(__always)
  func isGroup(_ key: @autoclosure () -> String) -> Bool {
    !groups.isEmpty && groups[unsafe prefix + key()] != nil
  }

  /// Returns the columns that belong to a property of a struct type, such as `author.id` and `author.name`.
  ///
  /// Returns nil if there are none.
  func part(_ key: String) throws -> ColumnPart? {
    if !groups.isEmpty, let part = try group(unsafe prefix + key) { return part }
    let converted = names.areMade ? names[key] : key
    return try read { row in try row.part(prefix: converted + ".") ?? row.part(prefix: key + ".") }
  }

  /// Returns the columns of a model's nested value; nil if the row has none of them.
  private func group(_ path: String) throws -> ColumnPart? {
    guard let group = groups[path] else { return nil }
    do { return try read { row in try row.part(named: group.id, group.columns) } } catch let error
      as SQLiteError
    {
      guard error.code == .range else { throw error }
      throw DecodingError.keyNotFound(
        ColumnKey(stringValue: path),
        .init(codingPath: [], debugDescription: error.message, underlyingError: error))
    }
  }

  /// Returns the names of the properties that the columns store.
  func properties() throws -> [String] {
    let strategy = settings.strategies.keys
    return try read { row in try row.foundNames() }.map { name in
      let property = strategy.property(name)
      // Use the property's name only if the strategy converts that name back to the name of this column.
      return (strategy.name?(property) ?? property) == name ? property : name
    }
  }
}
