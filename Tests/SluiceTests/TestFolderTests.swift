import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct `the folder of a test` {
  @Test func `is deleted while another thread deletes its files`() throws {
    for _ in 0..<100 {
      var folder: TestFolder? = try TestFolder()
      let path = try #require(folder?.path)
      let files = ["app.db", "app.db-shm", "app.db-wal"].map { path + "/" + $0 }
      for file in files { try Data().write(to: URL(filePath: file)) }
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) { for file in files { try? removeFile(file) } }
      folder = nil
      group.wait()
      #expect(!fileExists(path))
    }
  }
}
