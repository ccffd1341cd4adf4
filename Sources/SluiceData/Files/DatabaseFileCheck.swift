package import Foundation
import SluiceCore

/// Returns whether a file is an SQLite database that is not encrypted.
///
/// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened.
func isDatabase(_ path: String) throws -> Bool {
  let magic = "SQLite format 3\0".utf8
  return try SQLiteLibrary.beginning(ofFile: path, count: magic.count).elementsEqual(magic)
}

extension Connection {
  /// Throws if a file is a database of this connection, or its WAL, journal or shared memory.
  ///
  /// The first bytes identify only an unencrypted database that is not empty. A file that does not exist yet is identified
  /// by its name: SQLite may create it at any time.
  ///
  /// - Throws: ``ResultCode/cantOpen`` if the file belongs to a database of this connection.
  package func refuseOwnFile(_ url: URL) throws {
    guard url.isFileURL else { return }
    let file = FilePlace(url.absoluteURL.resolvingSymlinksInPath())
    let own = try databasePaths().flatMap { path in
      ["", "-journal", "-wal", "-shm"].map { FilePlace(URL(filePath: path + $0)) }
    }
    guard !own.contains(where: file.isSame) else {
      let path = url.absoluteURL.path(percentEncoded: false)
      throw SQLiteError(
        .cantOpen, "\(path) belongs to a database of this connection; choose another file")
    }
  }
}

/// A file that may not exist.
private struct FilePlace {
  private let file: FileIdentity?
  private let folder: FileIdentity?
  private let name: String

  init(_ url: URL) {
    file = FileIdentity(path: url.path(percentEncoded: false))
    folder = FileIdentity(path: url.deletingLastPathComponent().path(percentEncoded: false))
    name = url.lastPathComponent
  }

  func isSame(_ other: FilePlace) -> Bool {
    if let file, file == other.file { return true }
    guard let folder else { return false }
    return folder == other.folder && name == other.name
  }
}
