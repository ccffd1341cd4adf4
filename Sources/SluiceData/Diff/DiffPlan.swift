import SluiceCore

/// The schemas of both databases, and the tables to compare.
struct DiffPlan {
  private let from: String
  private let to: String
  let encoding: TextEncoding
  let schemaChanges: [DatabaseDiff.SchemaChange]
  let uncompared: [DatabaseDiff.UncomparedTable]
  /// The tables whose rows are compared, sorted by name.
  let tables: [DiffTable]
  /// The full-text tables whose content is in another table, in the second database.
  let followers: [String]
  let old: [SchemaObject]
  let new: [SchemaObject]
  /// Whether each database has had a table with `AUTOINCREMENT`.
  let sequences: (old: Bool, new: Bool)

  init(_ connection: Connection, from: String, to: String) throws {
    self.from = from
    self.to = to
    encoding = try connection.pragma(.encoding)
    let (first, second) = try (
      DiffSchema(connection, from), DiffSchema(connection, to)
    )
    (old, new) = (first.objects, second.objects)
    sequences = (first.hasSequence, second.hasSequence)
    var changes = Self.changes(old, new)
    let numbers = (first.numbers, second.numbers)
    if numbers.0.userVersion != numbers.1.userVersion {
      changes.append(.userVersion(from: numbers.0.userVersion, to: numbers.1.userVersion))
    }
    if numbers.0.applicationID != numbers.1.applicationID {
      changes.append(.applicationID(from: numbers.0.applicationID, to: numbers.1.applicationID))
    }
    schemaChanges = changes
    var tables: [DiffTable] = []
    var uncompared: [String: DatabaseDiff.UncomparedTable] = [:]
    for key in Set(first.tables.keys).union(second.tables.keys).sorted() {
      let infos = (first.tables[key], second.tables[key])
      let (before, after) = try (
        infos.0.map { try first.rows(of: $0, connection) },
        infos.1.map { try second.rows(of: $0, connection) }
      )
      let objects = [old, new].map { $0.first { $0.kind == .table && foldedName($0.name) == key } }
      let isKept = objects[0].flatMap { old in objects[1].map { old.isSame(as: $0) } } ?? false
      // The rows of a table that is dropped do not matter.
      let reasons = [isKept ? before : nil, after].compactMap { $0 }
      if let info = infos.1, let reason = reasons.compactMap(\.reason).first {
        uncompared[key] = .init(name: info.name, reason: reason)
        if isKept { continue }
      }
      let (oldRows, newRows) = (before?.rows, after?.rows)
      guard let name = (newRows ?? oldRows)?.name else { continue }
      tables.append(DiffTable(name: name, old: oldRows, new: newRows, isKept: isKept))
    }
    self.tables = tables
    self.uncompared = uncompared.sorted { $0.key < $1.key }.map(\.value)
    followers = second.followers
  }

  private static func changes(
    _ old: [SchemaObject], _ new: [SchemaObject]
  ) -> [DatabaseDiff.SchemaChange] {
    let (before, after) = (index(old), index(new))
    let removed = old.filter { after[Key($0)] == nil }.map(DatabaseDiff.SchemaChange.removed)
    return removed
      + new.compactMap { object in
        guard let found = before[Key(object)] else { return .added(object) }
        return found.isSame(as: object) ? nil : .changed(from: found, to: object)
      }
  }

  private struct Key: Hashable {
    let kind: SchemaObject.Kind
    let name: String

    init(_ object: SchemaObject) {
      kind = object.kind
      name = foldedName(object.name)
    }
  }

  private static func index(_ objects: [SchemaObject]) -> [Key: SchemaObject] {
    Dictionary(objects.map { (Key($0), $0) }) { first, _ in first }
  }
}

extension DiffPlan {
  /// A counter of `AUTOINCREMENT` that differs.
  typealias SequenceChange = (name: String, old: DatabaseValue?, new: DatabaseValue?)

  /// Returns the counters that differ, sorted by the name of the table.
  ///
  /// A program can add further rows with the same name; such rows are matched by their order.
  func sequenceChanges(_ connection: Connection) throws -> [SequenceChange] {
    let (old, new) = try (
      counters(connection, from, sequences.old), counters(connection, to, sequences.new)
    )
    return Set(old.keys).union(new.keys).sorted().flatMap { name in
      let (before, after) = (old[name] ?? [], new[name] ?? [])
      return (0..<max(before.count, after.count)).map { index -> SequenceChange in
        (
          name, index < before.count ? before[index] : nil,
          index < after.count ? after[index] : nil
        )
      }.filter { $0.old != $0.new }
    }
  }

  /// Returns the SQL that reads the first row of a table of the second database.
  func firstRow(of table: String) -> String {
    "SELECT * FROM \(to.quotedName).\(table.quotedName) LIMIT 1"
  }

  /// Returns the counters of the second database.
  func newSequences(_ connection: Connection) throws -> [String: [DatabaseValue]] {
    try counters(connection, to, sequences.new)
  }

  private func counters(
    _ connection: Connection, _ database: String, _ isThere: Bool
  ) throws -> [String: [DatabaseValue]] {
    guard isThere else { return [:] }
    let rows = try connection.query(
      RowConverter { row in try (row.text(at: 0), row.value(at: 1)) },
      sql: """
        SELECT name, seq FROM \(database.quotedName).sqlite_sequence
        WHERE name IS NOT NULL ORDER BY rowid
        """)
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }
}

extension SchemaObject {
  /// Whether both objects have the same SQL, apart from white space, comments, and the case and quotes of names.
  func isSame(as other: SchemaObject) -> Bool {
    let (first, second) = (SQLToken.tokens(of: sql), SQLToken.tokens(of: other.sql))
    guard first.count == second.count, foldedName(table) == foldedName(other.table) else {
      return false
    }
    let (bytes, otherBytes) = (Array(sql.utf8), Array(other.sql.utf8))
    return zip(first, second).allSatisfy { token, found in
      guard token == found else { return false }
      // Text in double quotes can be a string, whose case matters.
      return token.kind != .name || found.kind != .name
        || bytes[token.range] == otherBytes[found.range]
    }
  }
}
