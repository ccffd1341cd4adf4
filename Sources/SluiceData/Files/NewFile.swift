package import Foundation
import SluiceCore

/// A file that gets its name when it is complete.
package final class NewFile {
  private let path: String
  private let overwriting: Bool
  /// The path of the file until it is complete, in the same folder.
  private let draft: String
  private let file: FileHandle

  /// Creates the file under another name in the same folder.
  ///
  /// It replaces only a regular file, or the regular file that a symbolic link refers to, and never the link, a device
  /// such as `/dev/null`, or an SQLite database that is not encrypted.
  package init(_ url: URL, overwriting: Bool) throws {
    path = try Self.path(of: url)
    self.overwriting = overwriting
    try Self.refuseExisting(path, overwriting)
    draft = "\(path)-\(UUID().uuidString)"
    UnfinishedFiles.insert(draft)
    // Creating the file first also reports a missing folder.
    guard FileManager.default.createFile(atPath: draft, contents: nil),
      let file = FileHandle(forWritingAtPath: draft)
    else {
      UnfinishedFiles.remove(draft)
      throw SQLiteError(.cantOpen, "\(path) cannot be created")
    }
    self.file = file
  }

  package func write(_ bytes: [UInt8]) throws {
    do { try file.write(contentsOf: bytes) } catch { throw failure(error) }
  }

  /// Removes the content, so that it can be written again.
  package func restart() throws {
    do { try file.truncate(atOffset: 0) } catch { throw failure(error) }
  }

  /// Waits until the content is on the disk, and gives the file its name.
  package func complete() throws {
    try finish()
    try publish()
  }

  /// Waits until the content is on the disk.
  func finish() throws {
    do {
      try file.synchronize()
      try file.close()
      try Self.refuseExisting(path, overwriting)
    } catch let error as SQLiteError { throw error } catch { throw failure(error) }
  }

  /// Gives the finished file its name.
  func publish() throws {
    guard unsafe rename(draft, path) == 0 else {
      throw SQLiteError(.ioError, "\(path) cannot be written: the error number is \(errno)")
    }
    UnfinishedFiles.remove(draft)
  }

  /// Deletes the incomplete file.
  package func abandon() {
    // The error that led here is the one to report.
    try? file.close()
    try? FileManager.default.removeItem(atPath: draft)
    UnfinishedFiles.remove(draft)
  }

  private func failure(_ error: any Error) -> SQLiteError {
    SQLiteError(.ioError, "\(path) cannot be written: \(error.localizedDescription)")
  }

  /// Throws if a file cannot be created at this URL, because another one exists there.
  static func refuseExisting(at url: URL, overwriting: Bool) throws {
    try refuseExisting(path(of: url), overwriting)
  }

  private static func path(of url: URL) throws -> String {
    guard url.isFileURL else {
      throw SQLiteError(.cantOpen, "The URL must be a file URL (got \(url.absoluteString))")
    }
    return url.absoluteURL.resolvingSymlinksInPath().path(percentEncoded: false)
  }

  private static func refuseExisting(_ path: String, _ overwriting: Bool) throws {
    // A file that does not exist has no attributes.
    guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { return }
    guard let type = found[.type] as? FileAttributeType, type == .typeRegular else {
      throw SQLiteError(.cantOpen, "\(path) exists, and is not a regular file")
    }
    guard overwriting else {
      throw SQLiteError(.cantOpen, "\(path) exists; pass overwriting: true")
    }
    // The rows or SQL in the new file may come from this database.
    guard try !isDatabase(path) else {
      throw SQLiteError(.cantOpen, "\(path) is an SQLite database, which is not replaced")
    }
  }
}
