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

  /// Calls `body` with a connection to which databases are attached read-only, and creates no files next to them.
  ///
  /// If another process writes to an unprotected database during the call, `body` is called again.
  static func read<T>(
    _ files: [(name: String, file: DatabaseFile)], _ body: (Connection) throws -> T
  ) throws -> T {
    for _ in 0..<10 {
      let (before, access) = (files.map(\.file.state), files.map(\.file.access))
      let isProtected = access.allSatisfy { $0 == .locking }
      do {
        let connection = try Connection()
        // SQLite attaches only databases whose text has the encoding of the main database.
        if let encoding = files.compactMap(\.file.encoding).first {
          try connection.setPragma(.encoding, to: encoding)
        }
        // SQLite reads a file when it is attached, so the locking mode for a private WAL is set before. Such a database
        // keeps it, but it must not apply to the others.
        let order = zip(files, access).sorted { $0.1 == .withPrivateWAL && $1.1 != .withPrivateWAL }
        for ((name, file), access) in order {
          let mode = access == .withPrivateWAL ? "EXCLUSIVE" : "NORMAL"
          try connection.execute(sql: "PRAGMA locking_mode = \(mode)")
          try file.naming { try file.attach(to: connection, as: name, access) }
        }
        let result = try body(connection)
        if isProtected || files.map(\.file.state) == before { return result }
      } catch {
        guard !isProtected, files.map(\.file.state) != before else { throw error }
      }
    }
    let paths = files.map(\.file.path).joined(separator: " or ")
    throw Failure("\(paths) changes too often to be read")
  }

  private func attach(to connection: Connection, as name: String, _ access: Access) throws {
    let query =
      switch access {
      case .locking: [URLQueryItem(name: "mode", value: "ro")]
      case .withoutWAL: [URLQueryItem(name: "immutable", value: "1")]
      case .withPrivateWAL:
        [URLQueryItem(name: "mode", value: "ro"), URLQueryItem(name: "vfs", value: "unix-none")]
      }
    try connection.attach(url: url.appending(queryItems: query), as: name)
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
    var configuration = Configuration.ofCommand
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

extension Configuration {
  /// The configuration of the connections of commands, which change nothing that the user has not asked for.
  static var ofCommand: Configuration {
    var configuration = Configuration()
    configuration.optimizesOnClose = false
    return configuration
  }

  /// The configuration of a command that writes to the database at `path`.
  ///
  /// If Litestream replicates the database, all checkpoints are left to it, because the replica can otherwise miss commits
  /// that are made while it is not running.
  static func ofCommand(writing path: String) -> Configuration {
    var configuration = ofCommand
    let url = URL(filePath: path)
    let folder = url.deletingLastPathComponent()
      .appending(path: ".\(url.lastPathComponent)-litestream")
    configuration.checkpointsAutomatically = !FileManager.default.fileExists(
      atPath: folder.path(percentEncoded: false))
    return configuration
  }
}
