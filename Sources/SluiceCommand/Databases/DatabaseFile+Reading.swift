import Foundation
import Sluice

extension DatabaseFile {
  /// Calls `body` with a connection that writes nothing, not even a file beside the database.
  ///
  /// It is called again if another process began to write where SQLite could not be made to look out for it.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    for _ in 0..<10 {
      let before = state
      do {
        let result = try naming { try body(open()) }
        // A lock would have kept away who writes.
        if isLocking || state == before { return result }
      } catch {
        guard !isLocking, state != before else { throw error }
      }
    }
    throw Failure("\(path) changes too often to be read")
  }

  /// What reading or writing the database throws, with the path.
  func naming<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      switch error.code {
      case .notADatabase: throw Failure("\(path) is not an SQLite database, or is encrypted")
      case .readOnlyRollback, .readOnlyRecovery:
        throw Failure(
          "\(path) was left in the middle of a transaction: a program that writes has to open it")
      case .busy, .locked: throw Failure("\(path) is in use by another program")
      case .readOnly: throw Failure("\(path) cannot be written to")
      case .cantOpen: throw Failure("\(path) cannot be opened")
      case .corrupt: throw Failure("\(path) is damaged: \(error.message)")
      default: throw error
      }
    }
  }

  /// Whether SQLite's locks keep away those who write.
  private var isLocking: Bool { !hasWAL || (hasFrames && size(of: "-shm") != nil) }

  private var hasFrames: Bool { (size(of: "-wal") ?? 0) > 0 }

  private func open() throws -> Connection {
    var configuration = Configuration()
    configuration.optimizesOnClose = false
    guard hasWAL else {
      return try Connection(url: url, readOnly: true, configuration: configuration)
    }
    guard hasFrames else {
      // SQLite would make a WAL, to find nothing in it.
      return try Connection(
        url: url.appending(queryItems: [URLQueryItem(name: "immutable", value: "1")]),
        readOnly: true, configuration: configuration)
    }
    guard size(of: "-shm") == nil else {
      return try Connection(url: url, readOnly: true, configuration: configuration)
    }
    // Nobody uses it, and with a lock of its own SQLite needs no index beside the WAL. It is not
    // there to be had on a file that is only read, and so is a file system without locks.
    configuration.fileSystem = "unix-none"
    let connection = try Connection(url: url, readOnly: true, configuration: configuration)
    try connection.setPragma(.lockingMode, to: .exclusive)
    return connection
  }

  /// What changes when the database does.
  private var state: [Int?] {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: url.path(percentEncoded: false))
    let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
    return [
      (attributes?[.size] as? NSNumber)?.intValue, date.map { Int($0 * 1_000_000) },
      size(of: "-wal"), size(of: "-shm"),
    ]
  }
}
