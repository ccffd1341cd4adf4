import Foundation
import SluiceCore
import SluiceData

/// A file that receives a copy of a database, and gets its name when it is complete.
final class ReceivedCopy {
  private let path: String
  private let overwriting: Bool
  /// The path of the file until it is complete, in the same folder.
  private let draft: String
  /// The file that is being written.
  private var file: (name: String, handle: FileHandle)?

  /// Throws ``ResultCode/cantOpen`` if the file exists and `overwriting` is false, or if it belongs to an open database.
  init(_ path: String, overwriting: Bool) throws {
    self.path = path
    self.overwriting = overwriting
    draft = "\(path)-\(UUID().uuidString)"
    try refuseExisting()
    for file in files(of: draft) { UnfinishedFiles.insert(file) }
  }

  /// The files of SQLite that belong to a database.
  private func files(of path: String) -> [String] {
    ["", "-wal", "-shm", "-journal"].map { path + $0 }
  }

  /// Stores the next bytes of the copy.
  func receive(_ part: NodeConnection.FilePart) throws {
    do {
      if part.bytes.isEmpty {
        try endFile()
        let name = part.name.hasSuffix("-wal") ? draft + "-wal" : draft
        let descriptor = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
          let reason = unsafe String(cString: strerror(errno))
          throw SQLiteError(.cantOpen, "\(path) cannot be created: \(reason)")
        }
        file = (name, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
      }
      try file?.handle.write(contentsOf: part.bytes)
    } catch let error as SQLiteError { throw error } catch {
      throw failure(error.localizedDescription)
    }
  }

  private func failure(_ reason: String) -> SQLiteError {
    SQLiteError(.ioError, "\(path) cannot be written: \(reason)")
  }

  /// Forgets what was received, because another copy follows.
  func restart() {
    // A file that remains is replaced or reported by the next copy.
    try? endFile()
    for file in files(of: draft) { try? FileManager.default.removeItem(atPath: file) }
  }

  /// Opens the copy if `accept` returns whether it is new enough, and gives the file its name if it is.
  ///
  /// The copy becomes one file without a WAL, and is checked.
  ///
  /// - Returns: Whether the copy was accepted; false if the node has no such database.
  /// - Throws: ``ResultCode/corrupt`` if the copy is damaged.
  func complete(if accept: (Connection) throws -> Bool) throws -> Bool {
    do { try endFile() } catch { throw failure(error.localizedDescription) }
    guard let attributes = attributes(of: draft), attributes[.size] as? Int ?? 0 > 0 else {
      return false
    }
    let copy = try Connection(path: draft, create: false)
    guard try accept(copy) else {
      try copy.close()
      return false
    }
    let problems = try copy.query(.column(.string), sql: "PRAGMA quick_check(1)")
    guard problems == ["ok"] else {
      throw SQLiteError(.corrupt, "The copy is damaged: \(problems.joined(separator: "; "))")
    }
    try copy.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    try copy.close()
    try publish()
    return true
  }

  /// Deletes what was received, unless the copy is complete.
  func abandon() {
    restart()
    for file in files(of: draft) { UnfinishedFiles.remove(file) }
  }

  private func endFile() throws {
    try file?.handle.synchronize()
    try file?.handle.close()
    file = nil
  }

  private func publish() throws {
    try refuseExisting()
    guard unsafe rename(draft, path) == 0 else {
      throw unsafe failure(String(cString: strerror(errno)))
    }
  }

  /// The attributes of a file, without following a link; nil if there is none.
  private func attributes(of file: String) -> [FileAttributeKey: Any]? {
    // A file that does not exist has no attributes.
    try? FileManager.default.attributesOfItem(atPath: file)
  }

  private func refuseExisting() throws {
    if let found = attributes(of: path) {
      // A link or a device would be replaced by a file.
      guard found[.type] as? FileAttributeType == .typeRegular else {
        throw SQLiteError(.cantOpen, "\(path) exists, and is not a regular file")
      }
      guard overwriting else {
        throw SQLiteError(.cantOpen, "\(path) exists; pass overwriting: true")
      }
    }
    for file in files(of: path).dropFirst() where FileManager.default.fileExists(atPath: file) {
      throw SQLiteError(.cantOpen, "\(file) exists, so a program may be using \(path)")
    }
  }
}
