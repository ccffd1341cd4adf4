import Foundation

/// The folder with the tests and the `.sql` files.
let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

func temporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

func remove(_ folder: URL) {
  // FileManager gives up at the first file that another thread has deleted, such as the log of a pool that closes.
  for _ in 0..<1_000 where FileManager.default.fileExists(atPath: folder.path) {
    try? FileManager.default.removeItem(at: folder)
  }
}
