/// The SQL of a full-text table that follows an ordinary table.
///
/// The index stores its own copy of the text. Each trigger updates the index for the rowids of its event: it
/// removes their entries, and adds entries for the rows that exist. The result therefore does not depend on the
/// order in which triggers run, or on changes that other triggers have made.
///
/// `REPLACE` displaces rows without running a trigger. A displaced row had the rowid of the new row, or the same
/// values in a unique index. Therefore, if the table has unique indexes, a table of keys stores the rowid and
/// these values for each row of the full-text index. If an entry in the table of keys has the values of a new row,
/// but no row has the rowid of that entry anymore, the new row has displaced the row of the entry.
///
/// A view maps the columns, so that `ALTER TABLE … RENAME` keeps the mapping up to date.
struct FullTextFollower {
  private let names: FullTextNames
  private let table: String
  private let id: String
  private let columns: [String]
  private let allColumns: [String]
  private let keys: [UniqueKey]
  /// The columns that refer to the rowid of the same table with `ON DELETE CASCADE`.
  private let parents: [String]

  init(
    _ connection: Connection, _ names: FullTextNames, table: TableInfo, _ columns: [String]
  ) throws {
    let all = try connection.columns(of: table.name, database: names.schema)
    let indexes = try connection.indexes(of: table.name, database: names.schema)
    let primary = all.filter { $0.primaryKeyPosition != nil }
    // Only an `INTEGER PRIMARY KEY` has no separate index.
    guard let id = primary.first, primary.count == 1,
      !indexes.contains(where: { $0.origin == .primaryKey })
    else {
      throw SQLiteError(
        .misuse,
        """
        A full-text index cannot follow the table \(table.name), whose rowids can change in a VACUUM: \
        it needs an INTEGER PRIMARY KEY
        """)
    }
    self.names = names
    self.table = table.name
    self.id = id.name
    allColumns = all.map(\.name)
    self.columns = try Self.resolved(columns, in: allColumns, of: table.name)
    keys = try UniqueKey.keys(of: indexes, table.name, allColumns, connection, names.schema)
    parents = try connection.foreignKeys(of: table.name, database: names.schema).filter { key in
      key.onDelete == .cascade && sameName(key.referencedTable, table.name)
        && key.columns.count == 1
        && (key.referencedColumns.first.map { sameName($0, id.name) } ?? true)
    }.map { $0.columns[0] }
  }

  /// Returns the columns with the spelling that the table uses.
  private static func resolved(
    _ columns: [String], in all: [String], of table: String
  ) throws -> [String] {
    guard !columns.isEmpty else {
      throw SQLiteError(.misuse, "A full-text index needs at least one column")
    }
    var found: [String] = []
    for column in columns {
      guard let own = all.first(where: { sameName($0, column) }) else {
        throw SQLiteError(.misuse, "The table \(table) has no column \(column)")
      }
      guard !found.contains(own) else {
        throw SQLiteError(.misuse, "The column \(column) is listed twice")
      }
      found.append(own)
    }
    return found
  }
}

extension FullTextFollower {
  /// The statements that create the other objects of the index, and fill the full-text table.
  var statements: [String] {
    let body = (0..<columns.count).map { "c\($0)" }
    let sources = columns.map { $0.quoted("\"") } + terms.map(\.source)
    var statements = [
      """
      CREATE VIEW \(names.qualified(names.source))(\(list(["rowid"] + body + keyColumns))) AS \
      SELECT \(list([id.quoted("\"")] + sources)) FROM \(table.quoted("\""))
      """
    ]
    if !keys.isEmpty {
      statements.append(
        "CREATE TABLE \(names.qualified(names.keys))"
          + "(id INTEGER PRIMARY KEY, \(list(keyColumns)))")
      var first = 0
      for (number, key) in keys.enumerated() {
        let terms = key.terms.enumerated().map { index, term in
          "k\(first + index) COLLATE \(term.collation.quoted("\""))"
        }
        first += terms.count
        statements.append(
          "CREATE INDEX \(names.qualified("\(names.keys)_\(number)")) "
            + "ON \(names.keys.quoted("\""))(\(list(terms)))")
      }
      statements.append(filling)
    }
    statements.append("\(adding(names.qualified(names.table), names.qualified(names.source)))")
    return statements + triggers
  }

  private var triggers: [String] {
    let (old, new) = ("OLD.\(id.quoted("\""))", "NEW.\(id.quoted("\""))")
    let deleted = [old] + parents.map { "OLD.\($0.quoted("\""))" }
    return [
      trigger(names.insert, "INSERT", removingDisplaced + syncing([new])),
      trigger(names.update, "UPDATE", when: changes, removingDisplaced + syncing([old, new])),
      // A cascade may have deleted this row because its parent was displaced, so update the parent's entry too.
      trigger(names.delete, "DELETE", syncing(deleted)),
    ]
  }

  private func trigger(
    _ name: String, _ event: String, when condition: String? = nil, _ steps: [String]
  ) -> String {
    """
    CREATE TRIGGER \(names.qualified(name)) AFTER \(event) ON \(table.quoted("\""))
    \(condition.map { "WHEN \($0)\n" } ?? "")BEGIN
      \(steps.joined(separator: ";\n  "));
    END
    """
  }

  /// The condition under which an update affects the index.
  ///
  /// A trigger with a list of columns, as in `UPDATE OF`, would not run for `SET rowid`, or for changes of
  /// generated columns. The types are compared because equal numbers of different types have different text.
  private var changes: String {
    let isComplete = keys.contains { !$0.isPlain }
    let keyed = keys.flatMap(\.terms).compactMap(\.column)
    let used = allColumns.filter { column in
      isComplete || column == id || columns.contains(column)
        || keyed.contains { sameName($0, column) }
    }
    return used.map { column in
      let name = column.quoted("\"")
      return "OLD.\(name) COLLATE BINARY IS NOT NEW.\(name)"
        + " OR typeof(OLD.\(name)) <> typeof(NEW.\(name))"
    }.joined(separator: "\n  OR ")
  }

  /// Returns the steps that update the entries for these rowids.
  private func syncing(_ rowids: [String]) -> [String] {
    // Do not use REPLACE, because the outermost statement's conflict clause overrides the clauses in triggers.
    let (index, rowids) = (names.table.quoted("\""), list(rowids))
    let source = "\(names.source.quoted("\"")) WHERE rowid IN (\(rowids))"
    var steps = ["DELETE FROM \(index) WHERE rowid IN (\(rowids))", adding(index, source)]
    if !keys.isEmpty {
      let keys = names.keys.quoted("\"")
      steps.append("DELETE FROM \(keys) WHERE id IN (\(rowids))")
      steps.append("INSERT INTO \(keys) SELECT \(list(["rowid"] + keyColumns)) FROM \(source)")
    }
    return steps
  }

  /// The steps that remove the entries of rows that the new row has displaced by its unique values.
  private var removingDisplaced: [String] {
    guard !keys.isEmpty else { return [] }
    var number = -1
    let conditions = keys.map { key in
      let equal = key.terms.map { term in
        number += 1
        // Without the unary plus, the affinity of the new row's column would keep SQLite from using an index of
        // the table of keys.
        return "k\(number) = +\(term.new) COLLATE \(term.collation.quoted("\""))"
      }
      return "(\(equal.joined(separator: " AND ")))"
    }
    let (keys, source) = (names.keys.quoted("\""), names.source.quoted("\""))
    let displaced = """
      SELECT id FROM \(keys) WHERE (\(conditions.joined(separator: " OR "))) \
      AND NOT EXISTS (SELECT 1 FROM \(source) AS s WHERE s.rowid = \(keys).id)
      """
    return [
      "DELETE FROM \(names.table.quoted("\"")) WHERE rowid IN (\(displaced))",
      "DELETE FROM \(keys) WHERE id IN (\(displaced))",
    ]
  }

  private func adding(_ index: String, _ source: String) -> String {
    let body = (0..<columns.count).map { "c\($0)" }
    return "INSERT INTO \(index)(\(list(["rowid"] + columns.map { $0.quoted("\"") }))) "
      + "SELECT \(list(["rowid"] + body)) FROM \(source)"
  }

  private var filling: String {
    "INSERT INTO \(names.qualified(names.keys)) "
      + "SELECT \(list(["rowid"] + keyColumns)) FROM \(names.qualified(names.source))"
  }

  private var terms: [UniqueKey.Term] { keys.flatMap(\.terms) }
  private var keyColumns: [String] { terms.indices.map { "k\($0)" } }

  private func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }
}

extension FullTextFollower {
  /// Returns the statement that creates the full-text table.
  func creation(tokenize: String?, prefixes: [Int]) -> String {
    var arguments = columns.map { $0.quoted("\"") }
    if let tokenize { arguments.append("tokenize = \(tokenize.quoted("'"))") }
    if !prefixes.isEmpty {
      arguments.append("prefix = '\(prefixes.map(String.init).joined(separator: " "))'")
    }
    return "CREATE VIRTUAL TABLE \(names.qualified(names.table)) USING fts5(\(list(arguments)))"
  }

  /// Statements that would run all triggers; they are prepared, but never executed.
  var probes: [String] {
    let (table, id) = (names.qualified(table), id.quoted("\""))
    return [
      "INSERT INTO \(table)(\(id)) VALUES (NULL)", "UPDATE \(table) SET \(id) = \(id)",
      "DELETE FROM \(table)",
    ]
  }
}

/// Returns whether SQLite considers two names equal: it ignores the case of ASCII letters.
func sameName(_ first: String, _ second: String) -> Bool {
  func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
  return first.utf8.lazy.map(folded).elementsEqual(second.utf8.lazy.map(folded))
}
