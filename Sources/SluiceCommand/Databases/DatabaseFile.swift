import Foundation
import Sluice

/// A file that should be a database, inspected before SQLite opens it.
struct DatabaseFile {
  /// The path as the user entered it.
  let path: String
  let url: URL
  let size: Int
  /// Whether the file header declares WAL mode.
  let hasWAL: Bool
  /// The encoding of text that the file header declares; nil if the file is empty.
  let encoding: TextEncoding?

  /// Inspects the file at `path`, and throws if it is not a readable database file.
  init(_ path: String) throws {
    guard !path.isEmpty else { throw Failure("The path of the database must not be empty") }
    self.path = path
    url = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(
        atPath: url.path(percentEncoded: false))
    } catch CocoaError.fileReadNoSuchFile {
      throw Failure("\(path) does not exist")
    } catch {
      throw Failure("\(path) cannot be accessed")
    }
    let type = attributes[.type] as? FileAttributeType
    guard type != .typeDirectory else { throw Failure("\(path) is a folder, not a database") }
    // A pipe would make SQLite wait forever.
    guard type == .typeRegular else { throw Failure("\(path) is not a regular file") }
    let header: Data
    do {
      let file = try FileHandle(forReadingFrom: url)
      header = try file.read(upToCount: 100) ?? Data()
      try file.close()
    } catch { throw Failure("\(path) cannot be read") }
    size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    guard header.isEmpty || header.starts(with: "SQLite format 3\0".utf8),
      header.isEmpty || header.count == 100
    else { throw Failure("\(path) is not an SQLite database, or is encrypted") }
    hasWAL = header.count == 100 && header[18] == 2
    encoding =
      header.count == 100
      ? [1: .utf8, 2: .utf16LittleEndian, 3: .utf16BigEndian][header[59]] : nil
  }

  /// Returns the URL of a file that belongs to the database: `-wal`, `-shm` or `-journal`.
  func companion(_ suffix: String) -> URL {
    URL(filePath: url.path(percentEncoded: false) + suffix)
  }

  /// Returns the size in bytes of a file that belongs to the database; nil if the file is missing.
  func size(of suffix: String) -> Int? {
    let path = companion(suffix).path(percentEncoded: false)
    // A file whose status cannot be read counts as missing; SQLite reports the reason if it needs the file.
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }
}
