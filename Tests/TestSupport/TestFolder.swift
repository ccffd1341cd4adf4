package import Foundation

/// A temporary folder that is deleted with its contents when its last reference is released.
package final class TestFolder: Sendable {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.path + "/sluice-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { removeFolder(path) }

  package var url: URL { URL(filePath: path, directoryHint: .notDirectory) }

  /// Returns the path of a file in the folder.
  package func file(_ name: String = "app.db") -> String { path + "/" + name }

  package func write(_ bytes: [UInt8], to name: String = "app.db") throws {
    try Data(bytes).write(to: URL(filePath: file(name)))
  }

  package func bytes(_ name: String = "app.db") throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: file(name))))
  }

  /// The sorted names of the files in the folder.
  package var content: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// A file that is deleted when its last reference is released.
package final class ScratchFile: Sendable {
  package let path: String
  package init(_ path: String) { self.path = path }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Deletes a folder with its contents, while connections may be closing on other threads.
///
/// `FileManager` gives up at the first file that another thread has deleted, such as a write-ahead log.
package func removeFolder(_ path: String) {
  for _ in 0..<1_000 where fileExists(path) { try? FileManager.default.removeItem(atPath: path) }
}

package func fileExists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

package func removeFile(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

package func copyFile(_ path: String, to copy: String) throws {
  try FileManager.default.copyItem(atPath: path, toPath: copy)
}

package func setPermissions(_ mode: Int, of path: String) throws {
  try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}
