public import SluiceCore

extension Migration {
  /// Creates a numbered migration in SQL, which may contain any number of statements.
  ///
  /// The SQL `revert` undoes the migration; only ``Migrator/revert(_:to:)-(Connection,Int)`` runs it. If
  /// `inTransaction` is false, the migration runs outside a transaction, and must be repeatable.
  public init(
    _ number: Int, _ name: String = "", foreignKeys: ForeignKeys = .checked,
    inTransaction: Bool = true, sql: String, revert: String? = nil
  ) {
    self.init(
      number...number, name, foreignKeys: foreignKeys, inTransaction: inTransaction, sql: sql,
      revert: revert)
  }

  /// Creates a migration in SQL that replaces the migrations with these numbers.
  ///
  /// ```swift
  /// let schema = Migration(
  ///   1...3, "schema",
  ///   sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
  /// ```
  ///
  /// The later migrations keep their numbers. A new database runs the merged migration. A database that has all of
  /// the replaced migrations does not run it, and keeps their records, so that older versions of the program can
  /// still use it. A database that has only some of them throws ``MigrationError/partlyMerged(_:applied:missing:)``.
  /// Migrations that were merged can be merged again, with the migrations that follow them.
  public init(
    _ numbers: ClosedRange<Int>, _ name: String = "", foreignKeys: ForeignKeys = .checked,
    inTransaction: Bool = true, sql: String, revert: String? = nil
  ) {
    self.init(
      numbers, name, foreignKeys, inTransaction, MigrationScript(sql),
      revert.map { MigrationScript($0) })
  }

  /// Creates a migration in SQL that is identified by its name.
  ///
  /// If `merging` is not empty, the migration replaces the migrations with these names, which are in the order of the
  /// former list. The last of them is also the name of this migration. In all other respects, such a migration behaves
  /// like one that replaces migrations with numbers.
  ///
  /// ```swift
  /// let mergedNames = Migration(
  ///   "pets", merging: ["people", "pets"],
  ///   sql: "CREATE TABLE person(name TEXT); CREATE TABLE pet(name TEXT)")
  /// ```
  public init(
    _ name: String, merging: [String] = [], foreignKeys: ForeignKeys = .checked,
    inTransaction: Bool = true, sql: String, revert: String? = nil
  ) {
    self.init(
      nil, name, merging: merging, foreignKeys, inTransaction, MigrationScript(sql),
      revert.map { MigrationScript($0) })
  }

  /// Creates a numbered migration in Swift.
  ///
  /// `body` runs inside a transaction, which it cannot end, unless `inTransaction` is false. A `fingerprint` can be
  /// any text. If the fingerprint changes after the migration was applied,
  /// ``MigrationError/changed(applied:listed:)`` is thrown. `revert` undoes the migration; only
  /// ``Migrator/revert(_:to:)-(Connection,Int)`` calls it.
  public init(
    _ number: Int, _ name: String = "", foreignKeys: ForeignKeys = .checked,
    inTransaction: Bool = true, fingerprint: String? = nil,
    run body: @escaping @Sendable (_ connection: Connection) throws -> Void,
    revert: (@Sendable (_ connection: Connection) throws -> Void)? = nil
  ) {
    self.init(
      number...number, name, foreignKeys: foreignKeys, inTransaction: inTransaction,
      fingerprint: fingerprint, run: body, revert: revert)
  }

  /// Creates a migration in Swift that replaces the migrations with these numbers.
  ///
  /// See ``init(_:_:foreignKeys:inTransaction:sql:revert:)-(ClosedRange<Int>,_,_,_,_,_)``.
  public init(
    _ numbers: ClosedRange<Int>, _ name: String = "", foreignKeys: ForeignKeys = .checked,
    inTransaction: Bool = true, fingerprint: String? = nil,
    run body: @escaping @Sendable (_ connection: Connection) throws -> Void,
    revert: (@Sendable (_ connection: Connection) throws -> Void)? = nil
  ) {
    self.init(
      numbers, name, [], foreignKeys, inTransaction, fingerprint.map(MigrationChecksum.of),
      .code(body), revert.map { .code($0) })
  }

  /// Creates a migration in Swift that is identified by its name.
  ///
  /// See ``init(_:merging:foreignKeys:inTransaction:sql:revert:)`` for `merging`.
  public init(
    _ name: String, merging: [String] = [], foreignKeys: ForeignKeys = .checked,
    inTransaction: Bool = true, fingerprint: String? = nil,
    run body: @escaping @Sendable (_ connection: Connection) throws -> Void,
    revert: (@Sendable (_ connection: Connection) throws -> Void)? = nil
  ) {
    self.init(
      nil, name, merging, foreignKeys, inTransaction, fingerprint.map(MigrationChecksum.of),
      .code(body), revert.map { .code($0) })
  }

  init(
    _ numbers: ClosedRange<Int>?, _ name: String, merging: [String] = [],
    _ foreignKeys: ForeignKeys,
    _ isInTransaction: Bool, _ script: MigrationScript, _ undo: MigrationScript?
  ) {
    self.init(
      numbers, name, merging, foreignKeys, isInTransaction, MigrationChecksum.of(script.sql),
      .script(script), undo.map { .script($0) })
  }

  private init(
    _ numbers: ClosedRange<Int>?, _ name: String, _ merging: [String], _ foreignKeys: ForeignKeys,
    _ isInTransaction: Bool, _ checksum: String?, _ work: Work, _ undo: Work?
  ) {
    self.numbers = numbers
    self.name = name
    self.merging = merging
    self.foreignKeys = foreignKeys
    self.isInTransaction = isInTransaction
    self.checksum = checksum
    self.work = work
    self.undo = undo
  }
}
