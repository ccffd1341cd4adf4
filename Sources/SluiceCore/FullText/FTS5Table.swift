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
  private let connection: Connection
  /// The name of the table.
  public let name: String
  /// The name of the database that the table belongs to, if it was asked for with one.
  public let schema: String?
  /// The names of the columns in their order, also of those that are not indexed.
  public let columns: [String]

  fileprivate init(_ connection: Connection, _ name: String, _ schema: String?) throws {
    let found = try connection.query(
      .columns(.string, .int), sql: "SELECT name, hidden FROM pragma_table_xinfo(?, ?)",
      parameters: name, schema)
    // FTS5 hides two columns, of which the first goes by the name of the table.
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
  /// A full-text table, for what is done to all of it, and for the functions of queries.
  ///
  /// A table that is not there, or is none of FTS5, throws ``ResultCode/misuse``.
  public func fullText(_ name: String, schema: String? = nil) throws -> FTS5Table {
    try FTS5Table(self, name, schema)
  }
}

/// Operations on a whole table; each is one statement, which writes.
extension FTS5Table {
  /// Makes the index anew from the text that the table keeps, or refers to.
  public func rebuild() throws { try command("rebuild") }

  /// Makes one piece of the index, so that queries are as fast as can be.
  ///
  /// It can take long.
  public func optimize() throws { try command("optimize") }

  /// Does a part of what ``optimize()`` does: writes about so many pages.
  ///
  /// The first time, a negative number begins to make one piece of all; positive ones go on with it.
  ///
  /// - Returns: Whether there was anything to do.
  @discardableResult
  public func merge(pages: Int) throws -> Bool {
    guard -1_000_000_000...1_000_000_000 ~= pages else {
      throw SQLiteError(.range, "The page count \(pages) is too large")
    }
    let before = connection.totalChanges
    try command("merge", pages)
    // SQLite tells it by the number of changes, of which the command itself is one.
    return connection.totalChanges - before >= 2
  }

  /// Throws ``ResultCode/corrupt`` if the index is damaged, or does not belong to the text.
  ///
  /// The text that a table refers to, as one with `content = 'other'` does, is compared too, unless
  /// `comparingContent` is false.
  public func checkIntegrity(comparingContent: Bool = true) throws {
    try command("integrity-check", comparingContent ? 1 : 0)
  }

  private func command(_ command: String, _ value: Int? = nil) throws {
    let place: SQL =
      if let schema { "\(identifier: schema).\(identifier: name)" } else { "\(identifier: name)" }
    try connection.execute(
      "INSERT INTO \(place)(\(identifier: name), rank) VALUES (\(command), \(value))")
  }
}

/// The functions of queries, as parts of SQL; what they are given is bound.
extension FTS5Table {
  /// The text of a column, with marks around what the query looks for.
  public func highlight(_ column: String, from start: String, to end: String) throws -> SQL {
    "highlight(\(identifier: name), \(try index(of: column)), \(start), \(end))"
  }

  /// The part of a column that has most of what the query looks for, with marks around it; without a
  /// column, that of any.
  ///
  /// It has 1 to 64 `tokens`. Where something is left out, there is `ellipsis`.
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

  /// How well a row fits: below zero, and the better the lower.
  ///
  /// A column counts as much as its weight, or 1.
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
