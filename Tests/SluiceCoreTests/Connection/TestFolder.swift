import Foundation
import SluiceCore

/// A folder of its own, which is removed with all it holds when nothing refers to it any more.
final class TestFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/sluice-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "app.db") -> String { path + "/" + name }

  func write(_ bytes: [UInt8], to name: String = "app.db") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  func bytes(_ name: String = "app.db") throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  /// The names of what the folder holds, sorted.
  var content: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

func fileExists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

/// What `body` throws, or nil if it throws nothing or something else.
func failure<T: ~Copyable>(_ body: () throws -> T) -> SQLiteError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? SQLiteError
  }
}

/// A failure that is no `SQLiteError`, for closures to throw.
struct Unrelated: Error, Equatable {}

/// The indexes that are outside of anything, and of `Int32` or nearly of `Int`.
let impossibleIndexes = [-1, Int(Int32.max), Int(Int32.max) + 1, Int.max, Int.min, Int(Int32.min)]

/// A file that is removed when nothing refers to it any more.
final class ScratchFile {
  let path: String
  init(_ path: String) { self.path = path }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

func setPermissions(_ mode: Int, of path: String) throws {
  try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

func removeFile(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

func copyFile(_ path: String, to copy: String) throws {
  try FileManager.default.copyItem(atPath: path, toPath: copy)
}
