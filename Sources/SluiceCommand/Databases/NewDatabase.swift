import Foundation
import Sluice
import SluiceData

/// A database that a command creates.
enum NewDatabase {
  private static let suffixes = ["", "-journal", "-wal", "-shm"]

  /// Calls `body` with the path at which it creates and closes the database, which then gets its name.
  ///
  /// If `body` throws, or the process ends, no database has the name. If a file of an earlier database remains there,
  /// `body` receives the path itself: SQLite would apply such a file to the new database.
  static func writing<T>(_ path: String, _ body: (_ path: String) throws -> T) throws -> T {
    let target = target(of: path)
    guard !path.isEmpty, !suffixes.contains(where: { exists(target + $0) }) else {
      return try body(path)
    }
    let draft = "\(target)-\(UUID().uuidString)"
    let files = suffixes.map { draft + $0 }
    files.forEach(UnfinishedFiles.insert)
    defer {
      // Files that cannot be deleted remain.
      for file in files where exists(file) { try? FileManager.default.removeItem(atPath: file) }
      files.forEach(UnfinishedFiles.remove)
    }
    let result = try body(draft)
    try publish(draft, as: target)
    return result
  }

  /// Returns the path that a link to a missing file refers to, or the same path.
  private static func target(of path: String) -> String {
    var url = URL(filePath: path)
    // A system follows about as many links.
    for _ in 0..<40 {
      guard
        let next = try? FileManager.default.destinationOfSymbolicLink(
          atPath: url.path(percentEncoded: false))
      else { break }
      url = URL(filePath: next, relativeTo: url.deletingLastPathComponent()).absoluteURL
    }
    return url.path(percentEncoded: false)
  }

  /// Returns whether there is a file or a link, whose target may be missing.
  private static func exists(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)) != nil
  }

  /// Gives a complete database its name, unless another program has created a file with this name meanwhile.
  private static func publish(_ draft: String, as path: String) throws {
    guard !suffixes.dropFirst().contains(where: { exists(draft + $0) || exists(path + $0) }) else {
      throw Failure("\(path) is in use by another program")
    }
    if unsafe link(draft, path) != 0 {
      guard errno != EEXIST else { throw Failure("\(path) was created by another program") }
      // The file system has no links.
      guard !exists(path), unsafe rename(draft, path) == 0 else {
        throw Failure("\(path) cannot be created: the error number is \(errno)")
      }
    }
    // Without this, a power failure could undo the new name. A folder that cannot be synchronized is no error.
    let folder = unsafe open(
      URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false), O_RDONLY)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}
