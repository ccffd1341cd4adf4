/// A full-text table of a connection.
///
/// ```swift
/// let notes = try connection.fullText("note")
/// let found = try connection.query(
///   .columns(.string, .string),
///   """
///   SELECT \(notes.highlight("title", from: "<b>", to: "</b>")), \(notes.snippet("body"))
///   FROM note WHERE note MATCH \(pattern) ORDER BY \(notes.bm25(weights: ["title": 10]))
///   """)
/// try notes.optimize()
/// ```
public struct FTS5Table {
  let connection: Connection
  /// The name of the table.
  public let name: String
  /// The name of the database that contains the table; nil if none was specified.
  public let schema: String?
  /// The names of the columns in order, including columns that are not indexed.
  public let columns: [String]

  fileprivate init(_ connection: Connection, _ name: String, _ schema: String?) throws {
    let found = try connection.query(
      .columns(.string, .int), sql: "SELECT name, hidden FROM pragma_table_xinfo(?, ?)",
      parameters: name, schema)
    // An FTS5 table has two hidden columns, the first of which has the name of the table.
    let hidden = found.filter { $0.1 == 1 }.map(\.0)
    guard hidden.count == 2, hidden.last == "rank", let own = hidden.first else {
      throw SQLiteError(.misuse, "There is no full-text table named \(name)")
    }
    self.connection = connection
    self.name = own
    self.schema = schema
    columns = found.filter { $0.1 == 0 }.map(\.0)
  }
}

extension Connection {
  /// Returns a full-text table, for the maintenance of its index and for FTS5's functions in queries.
  ///
  /// Throws ``ResultCode/misuse`` if the table does not exist, or is not an FTS5 table.
  public func fullText(_ name: String, schema: String? = nil) throws -> FTS5Table {
    try FTS5Table(self, name, schema)
  }
}

/// Operations on the whole table, each of which executes one statement that writes to it.
extension FTS5Table {
  /// Rebuilds the index from the text that the table stores or refers to.
  ///
  /// If the index follows a table, the method then updates the entries that differ from the rows of that table.
  public func rebuild() throws {
    guard let names = try followedNames() else { return try command("rebuild") }
    try connection.savepoint { connection in
      // Rebuild the index first, because only an undamaged index can be changed.
      try command("rebuild")
      try copyDifferences(names)
    }
  }

  /// Merges the index into one segment, for the fastest possible queries.
  ///
  /// This operation can take a long time.
  public func optimize() throws { try command("optimize") }

  /// Performs a part of ``optimize()``, and writes about `pages` pages.
  ///
  /// Pass a negative number in the first call, which starts to merge the whole index into one segment. Pass
  /// positive numbers in later calls, which continue the merge.
  ///
  /// - Returns: Whether the call did any work.
  @discardableResult
  public func merge(pages: Int) throws -> Bool {
    guard -1_000_000_000...1_000_000_000 ~= pages else {
      throw SQLiteError(
        .range, "The page count must be from -1,000,000,000 to 1,000,000,000 (got \(pages))")
    }
    let before = connection.totalChanges
    try command("merge", pages)
    // Only the change count shows whether SQLite did any work; the command itself counts as one change.
    return connection.totalChanges - before >= 2
  }

  /// Checks that the index is undamaged and matches the text.
  ///
  /// Throws ``ResultCode/corrupt`` if the check fails. If the table refers to text in another table, as with
  /// `content = 'other'`, or follows another table, this method also compares the index with that text, unless
  /// `comparingContent` is false. The method also throws if the followed table has been re-created, or has a unique
  /// index that the full-text index does not follow.
  public func checkIntegrity(comparingContent: Bool = true) throws {
    try command("integrity-check", comparingContent ? 1 : 0)
    guard comparingContent, let names = try followedNames() else { return }
    try checkTriggers(names)
    try checkContent(names)
  }

  private func command(_ command: String, _ value: Int? = nil) throws {
    let place: SQL =
      if let schema { "\(identifier: schema).\(identifier: name)" } else { "\(identifier: name)" }
    try connection.execute(
      "INSERT INTO \(place)(\(identifier: name), rank) VALUES (\(command), \(value))")
  }
}

/// FTS5's functions for queries as SQL fragments with bound arguments.
extension FTS5Table {
  /// Returns SQL for the text of a column, with marks around each match of the query.
  public func highlight(_ column: String, from start: String, to end: String) throws -> SQL {
    "highlight(\(identifier: name), \(try index(of: column)), \(start), \(end))"
  }

  /// Returns SQL for the part of a column that contains the most matches of the query, with marks around them.
  ///
  /// If `column` is nil, FTS5 chooses the column. The part has at most `tokens` tokens, which must be from 1 to
  /// 64. `ellipsis` replaces omitted text.
  public func snippet(
    _ column: String? = nil, from start: String = "", to end: String = "", ellipsis: String = "…",
    tokens: Int = 16
  ) throws -> SQL {
    guard 1...64 ~= tokens else {
      throw SQLiteError(.range, "A snippet must have 1 to 64 tokens (got \(tokens))")
    }
    let index = try column.map(index) ?? -1
    return "snippet(\(identifier: name), \(index), \(start), \(end), \(ellipsis), \(tokens))"
  }

  /// Returns SQL for the relevance of a row as a negative number; a lower number is a better match.
  ///
  /// Each column counts with its weight; the default weight is 1.
  public func bm25(weights: [String: Double] = [:]) throws -> SQL {
    for column in weights.keys { _ = try index(of: column) }
    let all: [SQL] = columns.map { column in "\(weights[column] ?? 1)" }
    return "bm25(\(identifier: name), \(all.joined(separator: ", ")))"
  }

  private func index(of column: String) throws -> Int {
    guard let index = columns.firstIndex(of: column) else {
      throw SQLiteError(.range, "The table \(name) has no column \(column)")
    }
    return index
  }
}
