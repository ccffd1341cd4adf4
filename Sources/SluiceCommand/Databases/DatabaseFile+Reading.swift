import Foundation
import Sluice

extension DatabaseFile {
  /// How others are kept from changing what is read.
  private enum Access {
    /// By SQLite's locks.
    case locking
    /// Not at all: there is no WAL yet, and SQLite would make one, to find nothing in it.
    case withoutWAL
    /// Not at all: nobody uses the WAL, and SQLite would make an index of it in a file beside it.
    case withPrivateWAL
  }

  /// Calls `body` with a connection that writes nothing, and makes no file beside the database.
  ///
  /// It is called again if another process began to write where no lock could keep it away.
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

  /// Adds the path to the errors of reading or writing the database.
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
      // With a lock on all of the file SQLite keeps the index in memory, but what is only read cannot be
      // locked so: a file system that says yes to each lock can.
      configuration.fileSystem = "unix-none"
      let connection = try Connection(url: url, readOnly: true, configuration: configuration)
      try connection.setPragma(.lockingMode, to: .exclusive)
      return connection
    }
  }

  /// A fingerprint of the files, which changes when the database does.
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
