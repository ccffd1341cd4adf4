import SluiceCore
import SluiceData

/// A copy of a database file into an empty database of a cluster, in portions that are committed one after the other.
///
/// A table of one row, `sluice_restore`, exists while the copy is incomplete. It contains the number of the last portion,
/// and a digest of the SQL of all portions so far.
final class ClusterRestore {
  private let link: LeaderLink
  private let database: String
  private var portion = Portion()
  /// The digest of the SQL of the current portion and those before.
  private var hash = StableHash()

  private struct Portion: Equatable {
    var number: Int64 = 0
    var digest: Int64 = 0
  }

  init(_ link: LeaderLink, of database: String) {
    self.link = link
    self.database = database
    link.acceptsIncomplete = true
    link.settings["foreign_keys"] = "PRAGMA foreign_keys = 0"
  }

  /// Copies the rows that were not copied before.
  func run(
    from source: Connection,
    progress: ((_ rowCount: Int, _ totalRowCount: Int) throws -> Void)?
  ) throws {
    let total = try rowCount(of: source)
    let found = try begin()
    try source.dumpStatements(excluding: Self.ownTables) { piece, rowCount in
      portion.number += 1
      for byte in piece { hash.combine(byte) }
      portion.digest = Int64(bitPattern: hash.value)
      if portion.number > found.number {
        try copy(String(decoding: piece, as: UTF8.self))
      } else if portion.number == found.number, portion != found {
        throw containsOtherFile()
      }
      try progress?(rowCount, max(rowCount, total))
    }
    guard portion.number >= found.number else { throw containsOtherFile() }
    try end()
  }

  /// Returns the number of rows of the ordinary tables.
  private func rowCount(of source: Connection) throws -> Int {
    guard try source.pragma(.encoding) == .utf8 else {
      throw SQLiteError(
        .mismatch, "The text of the file is UTF-16, but that of a database in a cluster is UTF-8")
    }
    return try source.tables().lazy.filter { $0.kind == .table || $0.kind == .shadow }
      .reduce(0) { sum, table in
        try sum
          + (source.first(
            .column(.int), sql: "SELECT count(*) FROM \(table.name.quotedName)") ?? 0)
      }
  }
}

extension ClusterRestore {
  /// A query that has a row if the database is incomplete.
  static let isIncomplete = "SELECT 1 FROM sqlite_schema WHERE name = 'sluice_restore'"

  private static let ownTables: Set<String> = ["sluice_commit", "sluice_restore"]
  private static let read = "SELECT portion, digest FROM sluice_restore"
  private static let create =
    "CREATE TABLE IF NOT EXISTS sluice_restore(portion INTEGER NOT NULL, digest INTEGER NOT NULL)"
  private static let objectCount = """
    SELECT count(*) FROM sqlite_schema
    WHERE name NOT GLOB 'sqlite_*' AND name NOT IN ('sluice_commit', 'sluice_restore')
    """

  /// Marks the database as incomplete, unless it is, and returns the last portion that it contains.
  private func begin() throws -> Portion {
    try transaction { node in
      if let found = try last(on: node) { return found }
      guard try node.number(Self.objectCount, [], link.patience()) == 0 else {
        throw SQLiteError(
          .misuse,
          "The database \"\(database)\" is not empty; restore a file into a database with a new name"
        )
      }
      _ = try node.execute(Self.create, [], link.patience())
      try store(Portion(), on: node)
      return Portion()
    }
  }

  /// Executes the SQL of the current portion, unless an attempt whose answer was lost did.
  private func copy(_ sql: String) throws {
    try transaction { node in
      guard let last = try last(on: node) else { throw changedByOthers() }
      guard last != portion else { return }
      guard last.number == portion.number - 1 else { throw changedByOthers() }
      _ = try node.execute(sql, [], link.patience())
      try store(portion, on: node)
    }
  }

  /// Removes the mark.
  private func end() throws {
    try transaction { node in
      _ = try node.execute("DROP TABLE IF EXISTS sluice_restore", [], link.patience())
    }
    link.close()
  }

  private func last(on node: NodeConnection) throws -> Portion? {
    do {
      let rows = try node.query(Self.read, [], link.patience())
      var found: Portion?
      while try rows.next(link.patience()) {
        if case .integer(let number) = try rows.value(at: 0),
          case .integer(let digest) = try rows.value(at: 1)
        {
          found = Portion(number: number, digest: digest)
        }
      }
      return found
    } catch WireError.failure(_, "no such table: sluice_restore") { return nil }
  }

  private func store(_ portion: Portion, on node: NodeConnection) throws {
    let values: [DatabaseValue] = [.integer(portion.number), .integer(portion.digest)]
    _ = try node.execute("DELETE FROM sluice_restore", [], link.patience())
    _ = try node.execute("INSERT INTO sluice_restore VALUES (?, ?)", values, link.patience())
  }

  private func containsOtherFile() -> SQLiteError {
    SQLiteError(
      .mismatch,
      "The database \"\(database)\" contains a part of another file; restore that file again, or choose "
        + "another name")
  }

  private func changedByOthers() -> SQLiteError {
    SQLiteError(.abort, "Another program has restored the database \"\(database)\" meanwhile")
  }

  /// Runs `body` in a transaction, and commits it.
  ///
  /// `body` must have the same effect if an earlier attempt was committed. The commit of a later attempt proves that an
  /// earlier one can no longer be committed.
  private func transaction<T>(_ body: (NodeConnection) throws -> T) throws -> T {
    try link.withTransaction { node in
      let value = try body(node)
      _ = try link.whileBusy { try node.execute("COMMIT", [], link.patience()) }
      return value
    }
  }
}
