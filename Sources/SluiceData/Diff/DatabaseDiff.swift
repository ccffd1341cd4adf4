public import Foundation
public import SluiceCore

/// The differences between two databases: of their schemas, and of their rows.
///
/// ```swift
/// let diff = try DatabaseDiff(from: connection, to: URL(filePath: "new.db"))
/// for change in diff.schemaChanges { print(change) }
/// try diff.forEachRowChange { change in print(change.table, change.kind) }
/// try diff.writeSQL(to: URL(filePath: "update.sql"))
/// ```
///
/// A difference is a change that turns the first database into the second one. Nothing changes either database:
/// the second one is attached read-only. Rows are compared by SQLite, and are read one at a time, so the memory use
/// does not depend on the number of rows. <doc:ComparingDatabases> explains which rows and objects are considered
/// the same.
///
/// A diff belongs to its connection, and only the thread or task that uses the connection can use the diff. The schemas
/// are compared when the diff is created, and the rows by each method. Each method reads in one transaction, so
/// it sees one state of each database.
public final class DatabaseDiff {
  /// The connection to both databases.
  public let connection: Connection
  /// The name of the first database, such as `main`.
  public let from: String
  /// The name of the second database.
  public let to: String
  /// The differences between the schemas and between the numbers in the headers of the databases.
  public let schemaChanges: [SchemaChange]
  /// The virtual tables whose rows are not compared, with the reasons.
  public let uncomparedTables: [UncomparedTable]
  let plan: DiffPlan
  private var isAttached: Bool

  /// Compares the main database of a connection with a database file.
  ///
  /// The file is attached read-only until the diff is closed or released. Its text must have the encoding of the main
  /// database.
  ///
  /// - Parameters:
  ///   - connection: A connection, whose collations and modules are used.
  ///   - url: The URL of the second database.
  ///   - encryptionKey: The key of the second database; if nil, the connection's own key, if there is one.
  /// - Throws: ``ResultCode/cantOpen`` for a missing file, ``ResultCode/notADatabase`` for another file, and
  ///   ``ResultCode/error`` for a database with another encoding.
  public convenience init(
    from connection: Connection, to url: URL, encryptionKey: EncryptionKey? = nil
  ) throws {
    guard url.isFileURL else {
      throw SQLiteError(.cantOpen, "The URL must be a file URL (got \(url.absoluteString))")
    }
    let names = try Set(connection.databases().map { $0.name.lowercased() })
    var name = "sluice_diff"
    while names.contains(name) { name += "_" }
    let path = url.absoluteURL.path(percentEncoded: false)
    try connection.attach(path: path, as: name, readOnly: true, encryptionKey: encryptionKey)
    do { try self.init(connection, from: "main", to: name, isAttached: true) } catch {
      // The error that led here is the one to report.
      try? connection.detach(name)
      throw error
    }
  }

  /// Compares two databases of a connection, such as `main` and an attached one.
  ///
  /// - Throws: ``ResultCode/range`` for an unknown name.
  public convenience init(_ connection: Connection, from: String = "main", to: String) throws {
    try self.init(connection, from: from, to: to, isAttached: false)
  }

  private init(_ connection: Connection, from: String, to: String, isAttached: Bool) throws {
    self.connection = connection
    self.from = from
    self.to = to
    self.isAttached = isAttached
    // SQLite has no function that shows the sign of zero.
    try connection.addFunction("sluice_real_bits", arity: 1, options: .deterministic) { values in
      guard try values.storageClass(at: 0) == .real else { return .null }
      return .integer(Int64(bitPattern: try values.real(at: 0).bitPattern))
    }
    plan = try connection.transaction { connection in
      try DiffPlan(connection, from: from, to: to)
    }
    schemaChanges = plan.schemaChanges
    uncomparedTables = plan.uncompared
  }

  deinit {
    // A failure means that the connection is closed, or that a transaction is using the database.
    try? close()
  }

  /// Detaches the second database, if the diff attached it.
  ///
  /// The diff cannot be used afterwards.
  ///
  /// - Throws: ``ResultCode/error`` while a transaction is using the database.
  public func close() throws {
    guard isAttached else { return }
    try connection.detach(to)
    isAttached = false
  }
}

@available(*, unavailable)
extension DatabaseDiff: Sendable {}

extension DatabaseDiff {
  /// A difference between two schemas.
  public enum SchemaChange: Hashable, Sendable {
    /// An object that only the second database has.
    case added(SchemaObject)
    /// An object that only the first database has.
    case removed(SchemaObject)
    /// An object whose SQL differs in more than white space, comments and the case or quotes of names.
    case changed(from: SchemaObject, to: SchemaObject)
    /// The `user_version` differs.
    case userVersion(from: Int, to: Int)
    /// The `application_id` differs.
    case applicationID(from: Int, to: Int)
  }

  /// A difference between two rows with the same key, or a row that only one database has.
  public struct RowChange: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The columns whose values are stored, in order.
    public let columns: [String]
    /// The rowid, or nil if the table has a primary key.
    public let rowid: Int64?
    /// The values in the first database, or nil if only the second one has the row.
    public let old: [DatabaseValue]?
    /// The values in the second database, or nil if only the first one has the row.
    public let new: [DatabaseValue]?

    /// The kind of the change.
    public var kind: Kind { old == nil ? .inserted : new == nil ? .deleted : .updated }

    /// The kind of a change to a row.
    public enum Kind: Hashable, Sendable, CaseIterable {
      /// Only the second database has the row.
      case inserted
      /// Both databases have a row with this key, and the rows differ.
      case updated
      /// Only the first database has the row.
      case deleted
    }
  }

  /// The number of differences between the rows of a table.
  public struct TableSummary: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The number of rows that only the second database has.
    public let insertedCount: Int
    /// The number of rows that differ.
    public let updatedCount: Int
    /// The number of rows that only the first database has.
    public let deletedCount: Int

    var isEmpty: Bool { insertedCount == 0 && updatedCount == 0 && deletedCount == 0 }
  }

  /// A virtual table whose rows are not compared.
  public struct UncomparedTable: Hashable, Sendable {
    /// The name of the table.
    public let name: String
    /// The reason why the rows are not compared.
    public let reason: String
  }
}

extension DatabaseDiff.SchemaChange: CustomStringConvertible {
  /// A description of the change, such as `added table "person"`.
  public var description: String {
    switch self {
    case .added(let object): "added \(object)"
    case .removed(let object): "removed \(object)"
    case .changed(_, let object): "changed \(object)"
    case .userVersion(let old, let new): "changed user_version from \(old) to \(new)"
    case .applicationID(let old, let new): "changed application_id from \(old) to \(new)"
    }
  }
}
