import Foundation
import Sluice
import SluiceData

/// A database that a command creates.
enum NewDatabase {
  /// Calls `body`, which creates a database in one transaction; if it throws, or a signal ends the process, deletes the
  /// database with its journal.
  ///
  /// A journal without its database would be applied to the next database of the same name.
  static func writing<T>(_ path: String, _ body: () throws -> T) throws -> T {
    let files = ["", "-journal", "-wal", "-shm"].map { path + $0 }
    guard !path.isEmpty, !files.contains(where: FileManager.default.fileExists) else {
      return try body()
    }
    files.forEach(UnfinishedFiles.insert)
    defer { files.forEach(UnfinishedFiles.remove) }
    do { return try body() } catch {
      // The error that led here is the one to report.
      if (try? isEmpty(path)) == true {
        for file in files { try? FileManager.default.removeItem(atPath: file) }
      }
      throw error
    }
  }

  /// Returns whether nothing is committed, not even by another process; applies a journal that is there.
  private static func isEmpty(_ path: String) throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return true }
    let connection = try Connection(path: path, create: false, configuration: .ofCommand)
    let version = try connection.first(.column(.int), sql: "PRAGMA schema_version")
    try connection.close()
    return version == 0
  }
}
