import SluiceCore
import Synchronization

/// A file system wholly in Swift: files are bytes in memory, under their names.
struct MemoryFileSystem: VirtualFileSystem {
  let files = Files()

  final class Files: Sendable {
    let all = Mutex<[String: Content]>([:])
  }

  final class Content: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let locks = FileLocks()
    let memory = SharedMemory()
  }

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    guard let path = request.path else { return MemoryFile(Content()) }
    let creates = request.creates
    return try files.all.withLock { files in
      if let content = files[path] { return MemoryFile(content) }
      guard creates else { throw SQLiteError(.cantOpen, "There is no \(path)") }
      let content = Content()
      files[path] = content
      return MemoryFile(content)
    }
  }

  func delete(_ path: String, syncsFolder: Bool) throws {
    guard files.all.withLock({ $0.removeValue(forKey: path) }) != nil else {
      throw SQLiteError(.ioErrorDeleteMissing, "There is no \(path)")
    }
  }

  func access(_ path: String, _ access: VirtualFileAccess) -> Bool {
    files.all.withLock { $0[path]?.bytes.withLock { !$0.isEmpty } ?? false }
  }
}

final class MemoryFile: VirtualFile {
  private let content: MemoryFileSystem.Content
  private let locked: FileLock

  init(_ content: MemoryFileSystem.Content) {
    self.content = content
    locked = FileLock(content.locks)
  }

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) -> Int {
    let all = content.bytes.withLock { $0 }
    let count = max(0, min(bytes.count, all.count - Int(offset)))
    for index in 0..<count { bytes[index] = all[Int(offset) + index] }
    return count
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) {
    let new = bytes.indices.map { bytes[$0] }
    content.bytes.withLock { all in
      let end = Int(offset) + new.count
      if all.count < end { all += [UInt8](repeating: 0, count: end - all.count) }
      all.replaceSubrange(Int(offset)..<end, with: new)
    }
  }

  func truncate(to size: Int64) {
    content.bytes.withLock { $0.removeLast(max(0, $0.count - Int(size))) }
  }

  func size() -> Int64 { content.bytes.withLock { Int64($0.count) } }

  func lock(_ level: VirtualFileLock) throws { try locked.take(level) }

  func unlock(to level: VirtualFileLock) { locked.release(to: level) }

  func hasReservedLock() -> Bool { content.locks.isReserved }

  var sharedMemory: SharedMemory? { content.memory }
}
