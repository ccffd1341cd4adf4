/// A closure that sets up a connection, which is equal to itself alone.
final class Preparation: Sendable, Hashable {
  let body: @Sendable (Connection) throws -> Void

  init(_ body: @escaping @Sendable (Connection) throws -> Void) { self.body = body }

  static func == (first: Preparation, second: Preparation) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Configuration {
  /// Lets `body` set up each connection that is opened with this configuration, before anybody uses it.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.prepareConnection { connection in
  ///   try connection.addFunction("initial") { (name: String) in String(name.prefix(1)) }
  ///   try connection.addCollation("backwards") { (a: String, b: String) in SQLOrder(b, a) }
  /// }
  /// let pool = try ConnectionPool(path: "app.db", configuration: configuration)
  /// ```
  ///
  /// This is how functions, collations, modules and hooks come to all connections of a ``ConnectionPool``, also
  /// to those that it opens later, and to the ``ConnectionReadQueue`` of a queue. Several closures are called in
  /// their order. What one throws keeps the connection from being opened. It runs on the thread that opens the
  /// connection, after all other settings have been made; a connection that can only read is prepared as well.
  /// It has the connection alone: a call of the pool that opens it throws ``ResultCode/misuse``. A pool may open
  /// several connections at once, and call it for each on a thread of its own.
  public mutating func prepareConnection(
    _ body: @escaping @Sendable (_ connection: Connection) throws -> Void
  ) {
    preparations.append(Preparation(body))
  }
}
