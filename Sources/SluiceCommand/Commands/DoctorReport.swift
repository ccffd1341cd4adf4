import Sluice

/// The report of ``Doctor``, in the form of its JSON.
struct DoctorReport: Encodable {
  let sqlite: LibraryReport
  let database: DatabaseReport?
  /// The required capabilities that are missing.
  let lacking: [String]
}

/// The part of the report about the linked SQLite.
struct LibraryReport: Encodable {
  let version = SQLiteLibrary.version
  let versionNumber = SQLiteLibrary.versionNumber
  let sourceID = SQLiteLibrary.sourceID
  /// The threading mode, `serialized` or `multiThread`; nil for a build that cannot open a connection.
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

/// The part of the report about a database file and its problems.
struct DatabaseReport: Encodable {
  let path: String
  let size: Int
  let pageSize: Int
  let pages: Int
  let freePages: Int
  let encoding: String
  let journalMode: String
  /// The state of the WAL; nil if there is no WAL, or if it is empty.
  let wal: WALState?
  let userVersion: Int32
  let applicationID: Int32
  /// The damage that SQLite reports; empty if the file is undamaged.
  let integrity: [String]
  /// The rows that refer to missing rows.
  let foreignKeys: [Violation]
  /// The foreign keys that refer to a missing table, so that each insertion into their own table fails.
  let missingTables: [MissingTable]

  struct Violation: Encodable {
    let table: String
    let rowid: Int64?
    let referencedTable: String
  }

  struct MissingTable: Encodable {
    let table: String
    let referencedTable: String
  }
}

extension DatabaseReport {
  init(of file: DatabaseFile, isQuick: Bool, _ bar: ProgressBar) throws {
    // Read the WAL files before SQLite opens them: when a process closes a file, it loses all of its locks on that
    // file, including SQLite's.
    let wal = try WALState(of: file)
    self = try file.read { connection in
      try bar.watch(connection)
      return try DatabaseReport(of: file, connection, isQuick: isQuick, wal)
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
    // Use the mode in the file header, because a connection that bypasses the WAL reports another journal mode.
    journalMode = file.hasWAL ? "wal" : try connection.pragma(.journalMode).rawValue
    userVersion = try connection.userVersion
    applicationID = try connection.applicationID
    integrity = try connection.problems(isQuick: isQuick)
    // Do not check the foreign keys of a damaged database: some tables may be unreadable, and the damage is already
    // reported.
    foreignKeys =
      integrity.isEmpty
      ? try connection.foreignKeyViolations().map { violation in
        Violation(
          table: violation.table, rowid: violation.rowid,
          referencedTable: violation.referencedTable)
      } : []
    missingTables =
      integrity.isEmpty
      ? try connection.missingTables().map { MissingTable(table: $0, referencedTable: $1) } : []
  }
}

extension Connection {
  /// Returns the damage that SQLite reports; if the check fails because of damage, returns that error's message.
  fileprivate func problems(isQuick: Bool) throws -> [String] {
    do { return try problemsOnLargeStack(isQuick: isQuick) } catch let error as SQLiteError
      where error.code.primary == .corrupt
    {
      return [error.message]
    }
  }
}
