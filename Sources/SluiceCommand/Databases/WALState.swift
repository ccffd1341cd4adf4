import Foundation

/// The state of a WAL, read directly from its files, because SQLite may have to write files to report the state.
///
/// SQLite's documentation of the file format describes these files.
struct WALState: Encodable, Equatable {
  /// The size of the WAL file in bytes.
  let size: Int
  /// The number of frames that were committed since the WAL was restarted; each frame is one page.
  let frames: Int
  /// The number of committed frames that are already in the database file; nil if no process has recorded that
  /// number.
  let checkpointedFrames: Int?
}

extension WALState {
  /// Reads the state of the WAL; nil if there is no WAL, or if it is empty.
  init?(of database: DatabaseFile) throws {
    guard let size = database.size(of: "-wal"), size > 0 else { return nil }
    self.size = size
    let wal: (frames: Int, salts: Data)
    do { wal = try Self.frames(in: database.companion("-wal"), size) } catch {
      throw Failure("\(database.path)-wal cannot be read")
    }
    frames = wal.frames
    // Without the -shm file, the number of checkpointed frames is unknown until the next process opens the
    // database.
    let index = try? Self.head(of: database.companion("-shm"), 136)
    // Ignore the WAL index in the -shm file if it describes another state of the WAL.
    checkpointedFrames = index.flatMap { index in
      guard index.number(at: 16) == wal.frames, index[32..<40] == wal.salts else { return nil }
      return min(index.number(at: 96), wal.frames)
    }
  }

  private static func head(of file: URL, _ count: Int) throws -> Data? {
    let handle = try FileHandle(forReadingFrom: file)
    let data = try handle.read(upToCount: count)
    try handle.close()
    return data?.count == count ? data : nil
  }

  /// Counts the frames up to the last commit; any later frames belong to an earlier WAL, or to no commit.
  ///
  /// The salts distinguish this WAL from earlier ones in the same file.
  private static func frames(in file: URL, _ size: Int) throws -> (frames: Int, salts: Data) {
    let handle = try FileHandle(forReadingFrom: file)
    guard let header = try handle.read(upToCount: 32), header.count == 32 else {
      try handle.close()
      return (0, Data())
    }
    let pageSize = header.bigNumber(at: 8)
    guard (512...65_536).contains(pageSize) else {
      try handle.close()
      return (0, Data())
    }
    let salts = header[16..<24]
    var (count, committed) = (0, 0)
    while true {
      try handle.seek(toOffset: UInt64(32 + count * (24 + pageSize)))
      guard let frame = try handle.read(upToCount: 24), frame.count == 24,
        frame[8..<16].elementsEqual(salts), 32 + (count + 1) * (24 + pageSize) <= size
      else { break }
      count += 1
      if frame.bigNumber(at: 4) != 0 { committed = count }
    }
    try handle.close()
    return (committed, salts)
  }
}

extension Data {
  fileprivate func bigNumber(at offset: Int) -> Int {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns a number in this machine's byte order, in which SQLite writes the index.
  fileprivate func number(at offset: Int) -> Int {
    let bytes = self[offset..<offset + 4]
    let ordered = Int(littleEndian: 1) == 1 ? Array(bytes.reversed()) : Array(bytes)
    return ordered.reduce(0) { $0 << 8 | Int($1) }
  }
}
