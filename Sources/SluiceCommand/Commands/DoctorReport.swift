import Sluice

/// The report of ``Doctor``, in the form of its JSON.
struct DoctorReport: Encodable {
  let sqlite: LibraryReport
  let database: DatabaseReport?
  /// Capabilities that were required, and are not there.
  let lacking: [String]
}

/// The linked SQLite.
struct LibraryReport: Encodable {
  let version = SQLiteLibrary.version
  let versionNumber = SQLiteLibrary.versionNumber
  let sourceID = SQLiteLibrary.sourceID
  /// `serialized` or `multiThread`; nil for a build that no connection opens with.
  let threadingMode = SQLiteLibrary.threadingMode.map { "\($0)" }
  let compileOptions = SQLiteLibrary.compileOptions
  let capabilities: [String: Bool]
  let defects = SQLiteLibrary.knownDefects.map { Defect(name: $0.name, summary: $0.summary) }

  init() {
    capabilities = Dictionary(
      uniqueKeysWithValues: SQLiteCapability.allCases.map { ("\($0)", SQLiteLibrary.has($0)) })
  }

  struct Defect: Encodable {
    let name: String
    let summary: String
  }
}

/// A database file, and its faults.
struct DatabaseReport: Encodable {
  let path: String
  let size: Int
  let pageSize: Int
  let pages: Int
  let freePages: Int
  let encoding: String
  let journalMode: String
  /// Nil if there is no WAL, or nothing in it.
  let wal: WALState?
  let userVersion: Int32
  let applicationID: Int32
  /// The damage that SQLite finds; empty if the file is sound.
  let integrity: [String]
  /// Rows that refer to rows which are not there.
  let foreignKeys: [Violation]

  struct Violation: Encodable {
    let table: String
    let rowid: Int64?
    let referencedTable: String
  }
}

extension DatabaseReport {
  init(of file: DatabaseFile, isQuick: Bool) throws {
    // Not while SQLite has the files open: closing one of them would give up the locks of this process.
    let wal = try WALState(of: file)
    self = try file.read { connection in
      try DatabaseReport(of: file, connection, isQuick: isQuick, wal)
    }
  }

  private init(
    of file: DatabaseFile, _ connection: Connection, isQuick: Bool, _ wal: WALState?
  ) throws {
    (path, size, self.wal) = (file.path, file.size, wal)
    pageSize = try connection.pragma(.pageSize)
    pages = try connection.pageCount()
    freePages = try connection.freePageCount()
    encoding = "\(try connection.pragma(.encoding))"
    // A connection that does not look at the WAL says something else.
    journalMode = file.hasWAL ? "wal" : try connection.pragma(.journalMode).rawValue
    userVersion = try connection.userVersion
    applicationID = try connection.applicationID
    integrity = try connection.problems(isQuick: isQuick)
    // Tables that cannot be read have been told of.
    foreignKeys =
      integrity.isEmpty
      ? try connection.foreignKeyViolations().map { violation in
        Violation(
          table: violation.table, rowid: violation.rowid,
          referencedTable: violation.referencedTable)
      } : []
  }
}

extension Connection {
  /// Returns the damage, even where there is so much that SQLite gives up.
  fileprivate func problems(isQuick: Bool) throws -> [String] {
    do { return try integrityProblems(isQuick: isQuick) } catch let error as SQLiteError
      where error.code.primary == .corrupt
    {
      return [error.message]
    }
  }
}
