extension Connection {
  /// Writes a database to a new file that is encrypted with another key, or not encrypted.
  ///
  /// ```swift
  /// try old.export(to: "new.db", encryptionKey: EncryptionKey(passphrase: passphrase))
  /// try old.export(to: "plain.db", encryptionKey: nil)
  /// ```
  ///
  /// This turns a plain database into an encrypted one and back, and a file of an older SQLCipher into one of the linked
  /// version. The copy has the schema, all rows with their rowids, ``userVersion`` and ``applicationID``. It is the state at
  /// one moment; the database itself does not change.
  ///
  /// The path is taken literally. If the export fails, no new file stays.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which is created.
  ///   - encryptionKey: The key of the file, with its ``CipherSettings``; nil for a file that is not encrypted.
  ///   - database: The name of the database to export.
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/encryption``,
  ///   ``ResultCode/cantOpen`` if the file holds anything, ``ResultCode/range`` for an unknown database,
  ///   ``ResultCode/misuse`` while a transaction or statement of the connection is open, and ``ResultCode/readOnly`` if
  ///   the connection can only read.
  ///
  /// The corresponding SQL is `ATTACH DATABASE` and `sqlcipher_export`.
  public func export(
    to path: String, encryptionKey: EncryptionKey?, database: String = "main"
  ) throws {
    try SQLiteLibrary.require(.encryption)
    try refuseStatements()
    _ = try transactionState(schema: database)
    guard state.calls.depth == 0, isInAutocommit, try transactionState() == .none else {
      throw SQLiteError(
        .misuse, "A database cannot be exported while a transaction or statement is open")
    }
    var configuration = configuration
    configuration.encryptionKey = encryptionKey
    let target = try BackupTarget(path, configuration, overwriting: false)
    do { try fill(path, encryptionKey, from: database) } catch {
      target.abandon()
      throw error
    }
    try target.connection.close()
  }

  private func fill(_ path: String, _ key: EncryptionKey?, from database: String) throws {
    let name = "sluice_export"
    try attach(emptyFile: path, as: name, encryptionKey: key)
    do {
      guard !isReadOnly(name) else {
        throw SQLiteError(.readOnly, "A connection that can only read cannot export a database")
      }
      if let key { try apply(key.settings, to: name) }
      // All of it in one transaction, so that a failure leaves the file empty.
      try transaction { _ in
        try setPragma(.autoVacuum, to: pragma(.autoVacuum, database: database), database: name)
        let source = try quoted(identifier: database)
        try execute(
          sql: "SELECT sqlcipher_export(?, ?)", parameters: .string(name), .string(source))
        for number in ["user_version", "application_id"] {
          let value = try pragmaAnswer("\(source).\(number)")
          try runPragma("\(name).\(number) = \(value ?? .integer(0))")
        }
      }
    } catch {
      // The first error counts.
      try? cleaningUp { try detach(name) }
      throw error
    }
    try detach(name)
  }
}
