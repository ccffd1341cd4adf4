import SluiceCore

/// A change to a disk; files are identified by numbers, because a path can later refer to a different file.
enum DiskEvent {
  case make(path: String, file: Int, content: [UInt8])
  case write(file: Int, offset: Int, bytes: [UInt8])
  case truncate(file: Int, size: Int)
  case sync(file: Int)
  case delete(path: String)
  case mark
}

/// The changes to the files of a disk, in order.
final class DiskLog: Sendable {
  private struct State {
    var events: [DiskEvent] = []
    var numbers: [String: Int] = [:]
    var count = 0
    var sectors = Sectors()
  }

  /// The sector size and characteristics of the disk, which determine the format of a journal.
  struct Sectors {
    var size = 4096
    var traits: VirtualFileTraits = []
  }

  var sectors: Sectors { state.withLock { $0.sectors } }

  func note(_ sectors: Sectors) { state.withLock { $0.sectors = sectors } }

  private let state = Locked(State())

  var events: [DiskEvent] { state.withLock { $0.events } }

  func add(_ event: DiskEvent) {
    state.withLock { state in
      if case .delete(let path) = event { state.numbers[path] = nil }
      state.events.append(event)
    }
  }

  /// Returns the number of a file; a new file is recorded with its content.
  func number(of path: String, _ content: () throws -> [UInt8]) throws -> Int {
    if let number = state.withLock({ $0.numbers[path] }) { return number }
    let content = try content()
    return state.withLock { state in
      if let number = state.numbers[path] { return number }
      state.count += 1
      state.numbers[path] = state.count
      state.events.append(.make(path: path, file: state.count, content: content))
      return state.count
    }
  }
}

/// A shim that records each successful change to a named file.
struct RecordedFileSystem: VirtualFileSystemShim {
  let base: any VirtualFileSystem
  let log: DiskLog

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    let file = try base.open(request)
    guard let path = request.path, !request.deletesOnClose else { return file }
    log.note(DiskLog.Sectors(size: file.sectorSize, traits: file.traits))
    let number = try log.number(of: path) { try content(of: file) }
    return RecordedFile(base: file, log: log, number: number)
  }

  private func content(of file: any VirtualFile) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(clamping: try file.size()))
    guard !bytes.isEmpty else { return [] }
    try unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      var span = unsafe bytes.mutableSpan
      _ = try file.read(into: &span, at: 0)
    }
    return bytes
  }

  func delete(_ path: String, syncsFolder: Bool) throws {
    try base.delete(path, syncsFolder: syncsFolder)
    log.add(.delete(path: path))
  }
}

private struct RecordedFile: VirtualFileShim {
  let base: any VirtualFile
  let log: DiskLog
  let number: Int

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    try base.write(bytes, at: offset)
    log.add(.write(file: number, offset: Int(offset), bytes: [UInt8](copying: bytes)))
  }

  func truncate(to size: Int64) throws {
    try base.truncate(to: size)
    log.add(.truncate(file: number, size: Int(size)))
  }

  func sync(_ options: VirtualFileSync) throws {
    try base.sync(options)
    log.add(.sync(file: number))
  }
}

/// A shim whose files have the paths and the sector size of the recorded disk.
///
/// With another sector size, SQLite would not find the end of a journal's header.
struct SectoredFileSystem: VirtualFileSystemShim {
  let base: any VirtualFileSystem
  let recorded: any VirtualFileSystem
  let sectors: DiskLog.Sectors

  func fullPath(of path: String) throws -> String { try recorded.fullPath(of: path) }

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    SectoredFile(base: try base.open(request), sectors: sectors)
  }
}

private struct SectoredFile: VirtualFileShim {
  let base: any VirtualFile
  let sectors: DiskLog.Sectors
  var sectorSize: Int { sectors.size }
  var traits: VirtualFileTraits { sectors.traits }
}
