import Foundation
import Sluice

/// The index of a folder: one connection that writes, and one that reads meanwhile.
///
/// With a write-ahead log neither waits for the other, and the reader always sees a whole
/// number of batches.
struct CodeIndex: Sendable {
  let writer: ConnectionQueue
  let reader: ConnectionReadQueue

  /// Opens or creates the database at `path`; a new index deletes its content.
  init(path: String, isNew: Bool) async throws {
    if FileManager.default.fileExists(atPath: path) { try Self.refuseForeignDatabase(at: path) }
    var configuration = Configuration()
    configuration.journalMode = .wal
    writer = try ConnectionQueue(path: path, label: "writer", configuration: configuration)
    try await writer.perform { connection in
      // A power cut may cost the latest batches, but never the consistency: they are read again.
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

  /// Closes both connections; the one that is closed last tidies up the write-ahead log.
  func close() async throws {
    try await reader.close()
    try await writer.close()
  }

  /// Looks, before anything is changed, whether a file is an index or still empty.
  private static func refuseForeignDatabase(at path: String) throws {
    let connection = try Connection(path: path, readOnly: true)
    let application = try connection.first(.column(.int), sql: "PRAGMA application_id")
    let version = try connection.first(.column(.int), sql: "PRAGMA user_version")
    if try connection.isEmpty { return }
    guard application == Schema.application else {
      throw Failure("\(path.printable) is a database of another program")
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
