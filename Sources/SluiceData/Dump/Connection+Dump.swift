public import Foundation
public import SluiceCore

extension Connection {
  /// Writes a database as SQL, and passes the SQL to `write` in pieces.
  ///
  /// ```swift
  /// try connection.dump { piece in try file.write(contentsOf: piece) }
  /// ```
  ///
  /// The SQL creates the same database again, if ``load(progress:from:)`` or the `sqlite3` shell runs
  /// it on an empty database. It contains the tables with their rows, and the views, virtual tables, indexes,
  /// triggers, statistics, `user_version`, `application_id` and the encoding. Every value keeps its type and its
  /// bytes, and every row keeps its rowid. See <doc:DumpAndLoad> for the limits.
  ///
  /// All pieces come from one read transaction, so other connections can write during the dump. A piece contains
  /// about 64 KB of UTF-8. At any time, memory contains one piece and one row. If the task is cancelled, the dump
  /// throws `CancellationError` before the next piece.
  ///
  /// - Parameters:
  ///   - database: The name of the database, such as `main`.
  ///   - progress: A closure that is called after each piece. If it throws, the dump stops.
  ///   - write: A closure that receives each piece.
  /// - Throws: ``ResultCode/error`` if a virtual table needs a module that the connection lacks,
  ///   ``ResultCode/mismatch`` if the schema contains invalid UTF-8, ``ResultCode/tooBig`` if a row needs a statement
  ///   of more than 1,000,000,000 bytes, which SQLite rejects, and any error that a closure throws.
  public func dump(
    database: String = "main",
    progress: ((DataProgress) throws -> Void)? = nil,
    to write: (_ piece: [UInt8]) throws -> Void
  ) throws {
    try withoutActuallyEscaping(write) { write in
      try transaction { connection in
        let dump = try DatabaseDump(of: connection, database: database)
        var writer = DumpWriter(try RealLiterals(connection), progress: progress, write)
        try dump.write(to: &writer)
      }
    }
  }

  /// Writes the main database as SQL without a transaction, and passes pieces of whole statements to `receive`.
  ///
  /// Each piece can be executed in a transaction of its own, with foreign keys that are not enforced. A piece contains
  /// about 256 KB, or one larger statement.
  ///
  /// - Parameters:
  ///   - excluded: The names of tables that are left out.
  ///   - receive: A closure that receives each piece, and the number of rows so far.
  /// - Throws: The errors of ``dump(database:progress:to:)``, and any error of `receive`.
  package func dumpStatements(
    excluding excluded: Set<String>,
    to receive: (_ piece: [UInt8], _ rowCount: Int) throws -> Void
  ) throws {
    try withoutActuallyEscaping(receive) { receive in
      try transaction { connection in
        let dump = try DatabaseDump(of: connection, database: "main")
        var piece: [UInt8] = []
        var writer = DumpWriter(
          try RealLiterals(connection), passesStatements: true,
          progress: { try receive(piece, $0.rowCount) }, { piece = $0 })
        try dump.writeStatements(excluding: excluded, to: &writer)
      }
    }
  }

  /// Writes a database as SQL to a new file.
  ///
  /// ```swift
  /// try connection.dump(to: URL(filePath: "app.sql"))
  /// ```
  ///
  /// The file appears when it is complete. If the dump fails or is cancelled, there is no new file, and an existing
  /// file is unchanged. In all other respects, this method behaves like ``dump(database:progress:to:)``.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - database: The name of the database, such as `main`.
  ///   - overwriting: Whether to replace an existing file, which cannot be an unencrypted database or a file of
  ///     this connection.
  ///   - progress: A closure that is called after each piece. If it throws, there is no new file.
  /// - Throws: ``ResultCode/cantOpen`` if the file exists and `overwriting` is false, or if it cannot be created,
  ///   ``ResultCode/ioError`` if the file cannot be written, and the errors of ``dump(database:progress:to:)``.
  public func dump(
    to url: URL, database: String = "main", overwriting: Bool = false,
    progress: ((DataProgress) throws -> Void)? = nil
  ) throws {
    try refuseOwnFile(url)
    let file = try NewFile(url, overwriting: overwriting)
    do {
      try dump(database: database, progress: progress) { try file.write($0) }
      try file.complete()
    } catch {
      file.abandon()
      throw error
    }
  }
}
