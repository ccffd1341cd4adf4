public import SluiceCore

/// Migration of databases that are used through a queue or pool.
extension Migrator {
  /// Applies the pending migrations to the database of a queue or pool, without blocking a thread.
  ///
  /// ```swift
  /// let report = try await migrator.migrate(pool)
  /// ```
  ///
  /// Apart from not blocking a thread, this method behaves like the one for a ``Connection``, which describes the
  /// parameters and errors.
  @discardableResult
  public func migrate(
    _ database: some DatabaseWriter, upTo last: Int? = nil, atomically: Bool = false,
    progress: (@Sendable (_ next: MigrationProgress) throws -> Void)? = nil
  ) async throws -> MigrationReport {
    try await database.perform { connection in
      try migrate(connection, upTo: last, atomically: atomically, progress: progress)
    }
  }

  /// Applies the pending migrations up to the one with this name, without blocking a thread.
  @discardableResult
  public func migrate(
    _ database: some DatabaseWriter, upTo name: String, atomically: Bool = false,
    progress: (@Sendable (_ next: MigrationProgress) throws -> Void)? = nil
  ) async throws -> MigrationReport {
    try await database.perform { connection in
      try migrate(connection, upTo: name, atomically: atomically, progress: progress)
    }
  }

  /// Applies the pending migrations to the database of a queue or pool, on the calling thread.
  ///
  /// The method for a ``Connection`` behaves in the same way, and describes the parameters and errors.
  @available(*, noasync, message: "Use migrate, which does not block the thread")
  @discardableResult
  public func syncMigrate(
    _ database: some DatabaseWriter, upTo last: Int? = nil, atomically: Bool = false,
    progress: (@Sendable (_ next: MigrationProgress) throws -> Void)? = nil
  ) throws -> MigrationReport {
    try database.sync { connection in
      try migrate(connection, upTo: last, atomically: atomically, progress: progress)
    }
  }

  /// Applies the pending migrations up to the one with this name, on the calling thread.
  @available(*, noasync, message: "Use migrate, which does not block the thread")
  @discardableResult
  public func syncMigrate(
    _ database: some DatabaseWriter, upTo name: String, atomically: Bool = false,
    progress: (@Sendable (_ next: MigrationProgress) throws -> Void)? = nil
  ) throws -> MigrationReport {
    try database.sync { connection in
      try migrate(connection, upTo: name, atomically: atomically, progress: progress)
    }
  }
}

extension DatabaseWriter {
  @available(*, unavailable, message: "A migrator migrates: try await migrator.migrate(queue)")
  @_documentation(visibility: internal)
  public func migrate(_ migrator: Migrator? = nil) {}
}

extension Connection {
  @available(*, unavailable, message: "A migrator migrates: try migrator.migrate(connection)")
  @_documentation(visibility: internal)
  public func migrate(_ migrator: Migrator? = nil) {}
}
