import CTwins
import Foundation
import Sluice

/// Workload 14: copies a database with `count` pages of 4 KiB to a new file.
final class BackupToFile: Workload {
  let c: Twin
  private let connection: Connection
  private let folder: URL
  private var path: String { folder.appending(path: "source.db").path }

  init(count: Int) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "source.db").path
    try Connection(path: path).execute(sql: Sample.pages(count))
    let attach = "ATTACH DATABASE '\(path)' AS source"
    connection = try Connection(sql: attach)
    c = try unsafe Twin(twin_backup, count: count, sql: attach)
  }

  deinit {
    // If the folder cannot be deleted, it remains with the temporary files.
    try? FileManager.default.removeItem(at: folder)
  }

  func sluice() throws -> Int64 {
    var pages = 0
    try connection.backup(to: path + "-sluice", database: "source", pagesPerStep: .max) {
      pages = $1
    }
    return Int64(pages)
  }

  func check(_ side: Side) throws -> Int64 {
    let file = try Data(contentsOf: URL(filePath: "\(path)-\(side)"), options: .alwaysMapped)
    let source = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
    // The headers can differ, because each file has its own change counter.
    guard file.dropFirst(100) == source.dropFirst(100) else {
      throw Failure("The copy that \(side) made differs from the source")
    }
    return Int64(file.count)
  }

  func reset() throws {
    for side in Side.allCases where FileManager.default.fileExists(atPath: "\(path)-\(side)") {
      try FileManager.default.removeItem(atPath: "\(path)-\(side)")
    }
  }
}
