import Foundation
import Sluice

extension DatabaseFile {
  /// The way to open the database, and its protection from writes by other processes.
  private enum Access {
    /// Protected by SQLite's file locks.
    case locking
    /// Not protected: the WAL is missing or empty, and SQLite would create files to read the database.
    case withoutWAL
    /// Not protected: no process uses the WAL, and SQLite would create an index file next to it.
    case withPrivateWAL
  }

  /// Calls `body` with a connection that does not write to the database, and creates no files next to it.
  ///
  /// If another process writes to an unprotected database during the call, `body` is called again.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    for _ in 0..<10 {
      let (before, access) = (state, access)
      do {
        let result = try naming { try body(open(access)) }
        if access == .locking || state == before { return result }
      } catch {
        guard access != .locking, state != before else { throw error }
      }
    }
    throw Failure("\(path) changes too often to be read")
  }

  /// Calls `body`, and adds the path to errors that concern the database file.
  func naming<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      switch error.code {
      case .notADatabase: throw Failure("\(path) is not an SQLite database, or is encrypted")
      case .readOnlyRollback, .readOnlyRecovery:
        throw Failure(
          "\(path) has an unfinished transaction; open it with a program that can write")
      case .busy, .locked: throw Failure("\(path) is in use by another program")
      case .readOnly: throw Failure("\(path) is not writable")
      case .cantOpen: throw Failure("\(path) cannot be opened")
      case .corrupt: throw Failure("\(path) is damaged: \(error.message)")
      default: throw error
      }
    }
  }

  private var access: Access {
    guard hasWAL else { return .locking }
    guard size(of: "-wal") ?? 0 > 0 else { return .withoutWAL }
    return size(of: "-shm") == nil ? .withPrivateWAL : .locking
  }

  private func open(_ access: Access) throws -> Connection {
    var configuration = Configuration()
    configuration.optimizesOnClose = false
    switch access {
    case .locking:
      return try Connection(url: url, readOnly: true, configuration: configuration)
    case .withoutWAL:
      let immutable = url.appending(queryItems: [URLQueryItem(name: "immutable", value: "1")])
      return try Connection(url: immutable, readOnly: true, configuration: configuration)
    case .withPrivateWAL:
      // In exclusive locking mode, SQLite keeps the WAL index in memory. A read-only file cannot be locked
      // exclusively, so use a file system that grants every lock.
      configuration.fileSystem = "unix-none"
      let connection = try Connection(url: url, readOnly: true, configuration: configuration)
      try connection.setPragma(.lockingMode, to: .exclusive)
      return connection
    }
  }

  /// A fingerprint of the database's files, which changes when a process writes to the database.
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
