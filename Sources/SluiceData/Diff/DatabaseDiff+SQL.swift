public import Foundation
import SluiceCore

extension DatabaseDiff {
  /// Writes SQL that turns the first database into the second one, and passes it to `write` in pieces.
  ///
  /// ```swift
  /// try diff.writeSQL { piece in try file.write(contentsOf: piece) }
  /// ```
  ///
  /// The SQL is one transaction, or empty if there is no difference. It begins with `PRAGMA foreign_keys = OFF`, so
  /// that no change deletes further rows, and drops triggers of changed tables while it changes rows. Run it on a
  /// connection of its own, for example with the `sqlite3` shell. A table whose definition has changed is dropped and
  /// filled again. <doc:ComparingDatabases> lists the limits.
  ///
  /// A piece contains about 64 KB of UTF-8. At any time, memory contains one piece and one row. If the task is
  /// cancelled, this method throws `CancellationError` before the next piece.
  ///
  /// - Returns: Whether there are differences.
  /// - Throws: ``ResultCode/error`` if a table has more columns than SQLite can compare. Any error that `write` throws.
  @discardableResult
  public func writeSQL(_ write: (_ piece: [UInt8]) throws -> Void) throws -> Bool {
    try withoutActuallyEscaping(write) { write in
      try connection.transaction { connection in
        var script = DiffScript(
          plan, connection, DumpWriter(try RealLiterals(connection), progress: nil, write))
        return try script.write()
      }
    }
  }

  /// Writes SQL that turns the first database into the second one to a new file.
  ///
  /// The file appears when it is complete; it is empty if there is no difference. In all other respects, this method
  /// behaves like ``writeSQL(_:)``.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - overwriting: Whether to replace an existing file, which cannot be an unencrypted database or a file of
  ///     this connection.
  /// - Returns: Whether there are differences.
  /// - Throws: ``ResultCode/cantOpen`` if the file exists and `overwriting` is false, or if it cannot be created.
  ///   ``ResultCode/ioError`` if the file cannot be written.
  @discardableResult
  public func writeSQL(to url: URL, overwriting: Bool = false) throws -> Bool {
    try connection.refuseOwnFile(url)
    let file = try NewFile(url, overwriting: overwriting)
    do {
      let isDifferent = try writeSQL { try file.write($0) }
      try file.complete()
      return isDifferent
    } catch {
      file.abandon()
      throw error
    }
  }
}
