/// Code that sends the SQL of a connection to another database, such as one on another machine.
///
/// The connection itself opens an empty in-memory database. Before it compiles a statement, it asks its translator for a
/// local statement with the same parameters and columns, which reads and writes virtual tables of the translator.
package protocol StatementTranslator: AnyObject {
  /// The name of the other database in error messages, such as "cluster".
  var noun: String { get }

  /// Returns the local form of the statement that begins `start` bytes into `sql`, or nil if only white space and
  /// comments follow.
  func translate(_ sql: String, from start: Int) throws -> TranslatedStatement?

  /// Returns the SQL of the statement whose local form is `sql`; nil if a statement has no other form.
  func text(ofLocal sql: String) -> String?

  /// The number of rows that the last INSERT, UPDATE or DELETE changed, and the number of all changed rows.
  var changeCounts: (last: Int, total: Int) { get }

  /// Returns the value that ``setOption(_:_:)`` has given to a pragma of the other database; nil if it has given none.
  func option(_ pragma: String) -> Bool?

  /// Changes a pragma of the connection to the other database, which has effect from the next statement on.
  ///
  /// This works even if the work of the connection was stopped, or if the other database cannot be reached.
  func setOption(_ pragma: String, _ isOn: Bool) throws

  /// Returns whether the body of a transaction that failed with this error may run again, because the transaction
  /// certainly had no effect.
  func canRepeat(after error: any Error) -> Bool
}

/// The local form of a statement.
package struct TranslatedStatement: Sendable {
  /// The SQL that the connection compiles.
  package let local: String
  /// The SQL of the statement, as the caller wrote it.
  package let text: String
  /// Whether the statement writes, even if the local statement only reads.
  package let writes: Bool
  /// The offset in bytes at which the next statement may begin.
  package let next: Int

  package init(local: String, text: String, writes: Bool, next: Int) {
    self.local = local
    self.text = text
    self.writes = writes
    self.next = next
  }
}

extension Connection {
  /// Compiles the local form of the statement that begins `start` bytes into `sql`.
  func compile(
    _ sql: String, from start: Int, forCache: Bool, with translator: any StatementTranslator
  ) throws -> (Statement?, next: Int) {
    _ = try unsafe readyHandle()
    guard let translated = try translator.translate(sql, from: start) else {
      return (nil, sql.utf8.count)
    }
    let isCached = forCache && cache.capacity > 0 && StatementTraits.isCacheable(sql)
    let (handle, access, _) = try unsafe prepare(translated.local, from: 0, isCached: isCached)
    guard let handle = unsafe handle else { return (nil, translated.next) }
    let statement = unsafe Statement(
      handle, self, translated.text, isCached: isCached, writes: translated.writes)
    statement.access = access
    return (statement, translated.next)
  }

  /// Runs `body`, in which statements are compiled without the translator.
  package func withoutTranslator<T>(_ body: () throws -> T) rethrows -> T {
    let translator = self.translator
    self.translator = nil
    defer { self.translator = translator }
    return try body()
  }

  /// Throws ``ResultCode/interrupt`` if the work of the connection was cancelled, or if its deadline has passed.
  package func throwIfStopped() throws { try state.refuseStopped() }

  /// Records that the transaction may have been committed although it failed.
  package func noteUncertainCommit() { state.scope.hasUncertainCommit = true }

  /// Drops the cached statements, because the names of their columns may have changed.
  package func dropCachedStatements() { evictStatements() }
}
