import Foundation
import SluiceCore

/// The bytes of a file, in chunks.
struct FileChunks {
  private let file: FileHandle
  private let path: String
  /// The size of the file in bytes; nil if it is not a regular file, and the size is unknown.
  let size: Int?

  /// The size of a chunk, except the last one, in bytes.
  private static let chunkSize = 1 << 17

  /// Opens the file.
  init(_ url: URL) throws {
    guard url.isFileURL else {
      throw SQLiteError(.cantOpen, "The URL must be a file URL (got \(url.absoluteString))")
    }
    // The properties of a link are not those of its file.
    let url = url.absoluteURL.resolvingSymlinksInPath()
    path = url.path(percentEncoded: false)
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw SQLiteError(.cantOpen, "\(path) does not exist")
    }
    guard !isFolder.boolValue else { throw SQLiteError(.cantOpen, "\(path) is a folder") }
    // A pipe has no size.
    let values = try? url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    size = values?.isRegularFile == true ? values?.fileSize : nil
    guard try size == nil || !isDatabase(path) else {
      throw SQLiteError(.mismatch, "\(path) is an SQLite database, not text")
    }
    do { file = try FileHandle(forReadingFrom: url) } catch {
      throw SQLiteError(.cantOpen, "\(path) cannot be opened: \(error.localizedDescription)")
    }
  }

  /// Returns the next chunk; nil at the end.
  func next() throws -> [UInt8]? {
    do {
      let data = try file.read(upToCount: Self.chunkSize) ?? Data()
      return data.isEmpty ? nil : [UInt8](data)
    } catch {
      throw SQLiteError(.ioError, "\(path) cannot be read: \(error.localizedDescription)")
    }
  }
}
