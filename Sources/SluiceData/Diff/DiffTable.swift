import SluiceCore

/// A table of two databases, of which only one may have it.
struct DiffTable {
  let name: String
  let old: DiffRows?
  let new: DiffRows?
  /// Whether both databases have the table with the same definition.
  let isKept: Bool

  /// Returns the parts of the difference: the deleted, updated and inserted rows.
  func parts(_ connection: Connection) throws -> [DiffPart] {
    guard isKept, let old, let new else {
      return try [
        old.map { try $0.allRows(.deleted, connection) },
        new.map { try $0.allRows(.inserted, connection) },
      ].compactMap(\.self)
    }
    return try DiffMatch(old, new, connection).parts()
  }
}

extension DiffRows {
  /// Returns all rows, as rows that only one database has.
  fileprivate func allRows(
    _ kind: DatabaseDiff.RowChange.Kind, _ connection: Connection
  ) throws -> DiffPart {
    try DiffPart(
      kind, self, "FROM \(source) AS a", usesRowid: key.isEmpty || hasNullKey(connection))
  }
}

/// The rows of two tables with the same definition, matched by their key.
struct DiffMatch {
  private let old: DiffRows
  private let new: DiffRows
  /// The key columns; empty if the rowid is the key.
  let key: [DiffRows.KeyColumn]
  /// The condition that rows `a` and `b` have the same key.
  private let hasSameKey: String

  init(_ old: DiffRows, _ new: DiffRows, _ connection: Connection) throws {
    self.old = old
    self.new = new
    let usesRowid =
      try old.key.isEmpty || old.hasNullKey(connection) || new.hasNullKey(connection)
    key = usesRowid ? [] : old.key
    if usesRowid, let rowid = old.rowid {
      hasSameKey = "a.\(rowid) = b.\(rowid)"
    } else {
      hasSameKey = key.map { column in
        let collation = column.collation.map { " COLLATE \($0.quotedName)" } ?? ""
        return "a.\(column.name.quotedName)\(collation) = b.\(column.name.quotedName)"
      }.joined(separator: " AND ")
    }
  }

  /// Returns the deleted, updated and inserted rows.
  func parts() -> [DiffPart] {
    [
      deleted(),
      pairs(Self.differ(old.columns)),
      inserted(),
    ]
  }

  func deleted() -> DiffPart {
    let clauses =
      "FROM \(old.source) AS a WHERE NOT EXISTS (SELECT 1 FROM \(new.source) AS b WHERE \(hasSameKey))"
    return DiffPart(.deleted, old, clauses, usesRowid: key.isEmpty)
  }

  func inserted() -> DiffPart {
    let clauses =
      "FROM \(new.source) AS b WHERE NOT EXISTS (SELECT 1 FROM \(old.source) AS a WHERE \(hasSameKey))"
    return DiffPart(.inserted, new, clauses, usesRowid: key.isEmpty)
  }

  /// Returns the rows that can be updated one after the other.
  func easy() -> DiffPart? {
    let (hard, easy) = split
    guard !easy.isEmpty else { return nil }
    let condition = Self.differ(easy) + (hard.isEmpty ? "" : " AND NOT \(Self.differ(hard))")
    return pairs(condition)
  }

  /// Returns the rows that must be deleted and inserted again, because their key or a unique value changes, which
  /// another row may still have.
  func hard() -> DiffPart? {
    let (hard, _) = split
    return hard.isEmpty ? nil : pairs(Self.differ(hard))
  }

  /// The columns that may not be updated, and the others.
  private var split: (hard: [String], easy: [String]) {
    guard let unique = old.uniqueColumns else { return (old.columns, []) }
    let keys = Set(
      key.filter { $0.collation != nil || old.rowid != nil }.map { foldedName($0.name) })
    let hard = unique.union(keys)
    return (
      old.columns.filter { hard.contains(foldedName($0)) },
      old.columns.filter { !hard.contains(foldedName($0)) }
    )
  }

  private func pairs(_ condition: String) -> DiffPart {
    // CROSS JOIN makes SQLite search the second table, which has the same indexes.
    let clauses =
      "FROM \(old.source) AS a CROSS JOIN \(new.source) AS b ON \(hasSameKey) WHERE \(condition)"
    return DiffPart(.updated, old, clauses, usesRowid: key.isEmpty)
  }

  /// Returns the condition that the stored values of a column of rows `a` and `b` differ.
  ///
  /// For SQLite, 1 equals 1.0, 0.0 equals -0.0, and a collation can consider different text equal.
  private static func differ(_ columns: [String]) -> String {
    let conditions = columns.map { column in
      let (a, b) = ("a.\(column.quotedName)", "b.\(column.quotedName)")
      return "(\(a) COLLATE BINARY IS NOT \(b) OR typeof(\(a)) <> typeof(\(b))"
        + " OR typeof(\(a)) = 'real' AND \(a) = 0.0 AND sluice_real_bits(\(a)) <> sluice_real_bits(\(b)))"
    }
    return either(conditions[...])
  }

  /// Returns the disjunction of the conditions, as a balanced tree because SQLite limits the depth of an expression.
  private static func either(_ conditions: ArraySlice<String>) -> String {
    guard conditions.count > 1 else { return conditions.first ?? "0" }
    let middle = conditions.startIndex + conditions.count / 2
    return "(\(either(conditions[..<middle])) OR \(either(conditions[middle...])))"
  }
}
