import Foundation

/// The folder with the tests and the `.sql` files.
let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

func temporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

func remove(_ folder: URL) {
  // An error is ignored, because a leftover folder does no harm.
  try? FileManager.default.removeItem(at: folder)
}
