public import Foundation
public import SluiceCore

extension Connection {
  /// Executes an SQL script, such as a dump, which `read` returns in pieces.
  ///
  /// ```swift
  /// try connection.load { try file.read(upToCount: 65_536).map { [UInt8]($0) } }
  /// ```
  ///
  /// The script can come from ``dump(database:progress:to:)``, from `.dump` in the `sqlite3` shell, or from a text
  /// editor. It is UTF-8. Rows of its queries are discarded.
  ///
  /// The script runs in one transaction, without the enforcement of foreign keys. If a statement fails, nothing is
  /// changed. The message of the error begins with the line, and ``SQLiteError/sql`` is the statement, which is cut
  /// after 1,000 bytes. `BEGIN` and `COMMIT` in the script have no effect, but a `BEGIN` without a `COMMIT` throws,
  /// because the script is incomplete. To find rows that violate a foreign key, call
  /// ``foreignKeyViolations(of:database:)`` afterwards.
  ///
  /// A script can change only the main database. It cannot create temporary objects, attach files, load extensions, or
  /// write to the schema table, except that a virtual table in a dump of the shell is created. Pragmas that tune the
  /// connection are skipped, and unknown ones throw. A script can call all functions and use all modules of the
  /// connection, and it can run forever. See <doc:DumpAndLoad> for scripts from an unknown source.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called after each piece. If it throws, nothing is changed.
  ///   - read: A closure that returns the next piece, or nil at the end.
  /// - Throws: ``ResultCode/misuse`` inside a transaction, ``ResultCode/authorization`` if the script does something
  ///   that a script cannot do, ``ResultCode/mismatch`` if the script is not UTF-8 or is for a database with another
  ///   encoding, ``ResultCode/abort`` if the script rolls back its changes, the error of the first statement that
  ///   fails, and any error that a closure throws.
  public func load(
    progress: ((DataProgress) throws -> Void)? = nil,
    from read: () throws -> [UInt8]?
  ) throws {
    try load(size: nil, progress: progress, failing: SQLiteError.onLine, from: read)
  }

  /// Executes a script of `size` bytes, or of an unknown size; `failing` returns the error to throw.
  package func load(
    size: Int? = nil, progress: ((DataProgress) throws -> Void)?,
    failing: @escaping ScriptFailure, from read: () throws -> [UInt8]?
  ) throws {
    guard isInAutocommit, !isInCallback else {
      throw SQLiteError(.misuse, "A script cannot be loaded inside a transaction or a callback")
    }
    var hasVirtualTables = false
    // The options cannot change in the transaction.
    try withOptionsForScript {
      let isUnistrMissing = try addUnistr()
      defer { if isUnistrMissing { try? removeFunction("unistr", arity: 1) } }
      let token = try authorize(ScriptRules.decide)
      defer { token.cancel() }
      hasVirtualTables = try transaction(.immediate) { connection in
        var loader = try ScriptLoader(connection, failing)
        var state = DataProgress()
        state.totalByteCount = size
        let before = totalChanges
        while let piece = try read() {
          try Task.checkCancellation()
          try loader.load(piece)
          state.byteCount += piece.count
          state.rowCount = totalChanges - before
          try progress?(state)
        }
        try loader.finish()
        return loader.hasVirtualTables
      }
    }
    // A module can have read its tables before the script filled them, so it must read them again. The script is
    // committed, so an authorizer that denies this pragma is no reason to throw.
    if hasVirtualTables { try? prepare(sql: "PRAGMA writable_schema = RESET").execute() }
  }

  /// Executes an SQL script in a file.
  ///
  /// ```swift
  /// try connection.load(from: URL(filePath: "app.sql"))
  /// ```
  ///
  /// In all other respects, this method behaves like ``load(progress:from:)``.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - progress: A closure that is called after each piece. If it throws, nothing is changed.
  /// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened or belongs to a database of this connection,
  ///   ``ResultCode/ioError`` if it cannot be read, and the errors of ``load(progress:from:)``.
  public func load(
    from url: URL,
    progress: ((DataProgress) throws -> Void)? = nil
  ) throws {
    try load(from: url, progress: progress, failing: SQLiteError.onLine)
  }

  /// Executes a script in a file; `failing` returns the error to throw for an error in a statement.
  package func load(
    from url: URL, progress: ((DataProgress) throws -> Void)?, failing: @escaping ScriptFailure
  ) throws {
    try refuseOwnFile(url)
    let file = try FileChunks(url)
    try load(size: file.size, progress: progress, failing: failing, from: file.next)
  }

  /// Runs `body` with the options that a script needs, and then restores them.
  private func withOptionsForScript(_ body: () throws -> Void) throws {
    let options: [(option: ConnectionOption, isOn: Bool)] = [
      (.foreignKeys, false), (.writableSchema, false), (.doubleQuotedStringsInSchema, true),
    ]
    let changed = try options.filter { try option($0.option) != $0.isOn }
    func restore() throws {
      for (option, isOn) in changed { try setOption(option, !isOn) }
    }
    for (option, isOn) in changed { try setOption(option, isOn) }
    do { try body() } catch {
      // The error of the script is the one to report.
      try? restore()
      throw error
    }
    try restore()
  }
}
