import Foundation
import Sluice

/// The index of a folder, with a connection for writing and a connection for reading at the same time.
///
/// With a write-ahead log, neither connection waits for the other, and the reader sees only complete batches.
struct CodeIndex: Sendable {
  let writer: ConnectionQueue
  let reader: ConnectionReadQueue

  /// Opens or creates the database at `path`.
  ///
  /// If `isNew` is true, the existing index is deleted.
  init(path: String, isNew: Bool) async throws {
    if FileManager.default.fileExists(atPath: path) { try Self.refuseForeignDatabase(at: path) }
    var configuration = Configuration()
    configuration.journalMode = .wal
    writer = try ConnectionQueue(path: path, label: "writer", configuration: configuration)
    try await writer.perform { connection in
      // A power cut can lose the latest batches. The index remains consistent, and the next run reads their files
      // again.
      try connection.execute(sql: "PRAGMA synchronous = NORMAL")
      try connection.addSearchFunctions()
    }
    try await writer.transaction { connection in
      let isEmpty = try connection.isEmpty
      if isNew, !isEmpty { try connection.execute(sql: Schema.removal) }
      if isNew || isEmpty { try connection.execute(sql: Schema.creation) }
    }
    reader = try ConnectionReadQueue(writeQueue: writer, label: "reader")
    try await reader.perform { connection in try connection.addSearchFunctions() }
  }

  /// Closes both connections.
  ///
  /// The connection that is closed last removes the write-ahead log.
  func close() async throws {
    try await reader.close()
    try await writer.close()
  }

  /// Throws if a file is neither an index nor an empty database, before anything is changed.
  private static func refuseForeignDatabase(at path: String) throws {
    let connection = try Connection(path: path, readOnly: true)
    let application = try connection.first(.column(.int), sql: "PRAGMA application_id")
    let version = try connection.first(.column(.int), sql: "PRAGMA user_version")
    if try connection.isEmpty { return }
    guard application == Schema.application else {
      throw Failure("\(path.printable) is another program's database")
    }
    guard version == Schema.version else {
      throw Failure("\(path.printable) is from another version of codesearch; delete it")
    }
  }
}

extension Connection {
  /// Whether the database has no tables.
  fileprivate var isEmpty: Bool {
    get throws { try first(.column(.int), sql: "SELECT count(*) FROM sqlite_schema") == 0 }
  }
}
