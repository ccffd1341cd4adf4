import Foundation
import SluiceCore

/// Returns whether a file is an SQLite database that is not encrypted.
///
/// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened.
func isDatabase(_ path: String) throws -> Bool {
  let magic = "SQLite format 3\0".utf8
  return try SQLiteLibrary.beginning(ofFile: path, count: magic.count).elementsEqual(magic)
}

extension Connection {
  /// Throws if a file belongs to a database of this connection, even if it does not begin as a database does.
  ///
  /// That is so for an empty or encrypted database, a WAL and a journal.
  ///
  /// - Throws: ``ResultCode/cantOpen`` if the file belongs to a database of this connection.
  func refuseOwnFile(_ url: URL) throws {
    let path = url.absoluteURL.path(percentEncoded: false)
    guard url.isFileURL, let file = FileIdentity(path: path) else { return }
    let own = try databases().compactMap(\.path).flatMap { database in
      ["", "-journal", "-wal", "-shm"].map { database + $0 }
    }
    guard !own.contains(where: { FileIdentity(path: $0) == file }) else {
      throw SQLiteError(.cantOpen, "\(path) belongs to a database of this connection")
    }
  }
}
