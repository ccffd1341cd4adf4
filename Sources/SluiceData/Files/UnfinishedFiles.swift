import Foundation
import Synchronization

/// The files that the process is writing, which are useless if it ends before they are complete.
package enum UnfinishedFiles {
  private static let paths = Mutex<Set<String>>([])

  package static func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  package static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  /// Deletes all of these files, before a signal ends the process.
  package static func deleteAll() {
    paths.withLock { paths in
      // A file that cannot be deleted remains.
      for path in paths { try? FileManager.default.removeItem(atPath: path) }
      paths.removeAll()
    }
  }
}
