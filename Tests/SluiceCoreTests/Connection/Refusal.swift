import Foundation
import SluiceCore
import Testing

/// The error that `body` throws, or nil if it returns; an error of another kind fails the test.
func refusal<T>(
  _ body: () throws -> T, at location: SourceLocation = #_sourceLocation
) -> SQLiteError? {
  do { _ = try body() } catch let error as SQLiteError {
    return error
  } catch {
    Issue.record(error, sourceLocation: location)
  }
  return nil
}

/// The error of another kind that `body` throws, or nil if it returns; any other error fails the test.
func foreignRefusal<T>(
  _ body: () throws -> T, at location: SourceLocation = #_sourceLocation
) -> ForeignError? {
  do { _ = try body() } catch let error as ForeignError {
    return error
  } catch {
    Issue.record(error, sourceLocation: location)
  }
  return nil
}

/// The error that `body` throws, or nil if it returns; an error of another kind fails the test.
func awaitedRefusal<T>(
  _ body: () async throws -> T, at location: SourceLocation = #_sourceLocation
) async -> SQLiteError? {
  do { _ = try await body() } catch let error as SQLiteError {
    return error
  } catch {
    Issue.record(error, sourceLocation: location)
  }
  return nil
}

/// An error that SQLite knows nothing of.
struct ForeignError: Error, Hashable, CustomStringConvertible {
  var description: String

  init(_ description: String = "an error of another kind") { self.description = description }
}

extension Connection {
  /// The first column of all rows.
  func column(_ sql: String) throws -> [DatabaseValue] {
    try query(.column(.value), sql: sql)
  }

  /// The integers of the first column.
  func integers(_ sql: String) throws -> [Int] { try query(.column(.int), sql: sql) }
}

extension Configuration {
  /// The safe settings, but without waiting for a lock.
  static var impatient: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    return configuration
  }

  /// The safe settings with a WAL, and without waiting for a lock.
  static var impatientWAL: Configuration {
    var configuration = impatient
    configuration.journalMode = .wal
    return configuration
  }
}

/// A folder that is deleted when nothing refers to it any more.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "sluice-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a database in the folder.
  var database: String { path + "/a.db" }
}
