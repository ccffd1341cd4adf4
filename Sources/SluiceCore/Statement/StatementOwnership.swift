/// The connection of a statement, the user of the statement, and the state that they store with it.
@safe struct StatementOwnership {
  /// The connection; nil once it is deallocated, which is only possible if the statement does not retain it.
  private(set) var connection: Unmanaged<Connection>?
  private(set) var user: User
  /// The index of the statement in the cache, which the cache verifies before use.
  var cachePlace = 0
  /// The state that a higher module attaches to the statement.
  var clientState: AnyObject?

  enum User {
    /// A user of the connection. The statement retains the connection.
    case user(Connection)
    /// The connection, whose methods use the statement and then return it to the cache.
    case cache
    /// Like `cache`, but the client state is dropped before the statement returns to the cache.
    case cacheWithoutClientState
    /// The connection, which does not return the statement to the cache after its current use.
    case evicted
  }

  init(_ connection: Connection, isCached: Bool) {
    unsafe self.connection = Unmanaged.passUnretained(connection)
    user = isCached ? .cache : .user(connection)
  }

  /// Whether a user of the connection prepared the statement, rather than the connection for its cache.
  var isPrepared: Bool { if case .user = user { true } else { false } }

  @inline(__always)
  var isOfCache: Bool { if case .cache = user { true } else { false } }

  /// Whether the client state is to be dropped before the statement returns to the cache.
  var isOfCacheWithoutClientState: Bool {
    if case .cacheWithoutClientState = user { true } else { false }
  }

  /// Prevents the statement from returning to the cache.
  mutating func evict() {
    if !isPrepared { user = .evicted }
  }

  /// Requests that the client state be dropped before the statement returns to the cache.
  mutating func willDropClientState() {
    if isOfCache { user = .cacheWithoutClientState }
  }

  /// Returns the client state for the last time, if its drop was requested.
  mutating func takeClientState() -> AnyObject? {
    user = .cache
    defer { clientState = nil }
    return clientState
  }

  /// Retains the connection, which no longer knows the statement, or else forgets it.
  mutating func end(retainingConnection: Bool) {
    if retainingConnection, let connection = unsafe connection {
      unsafe user = .user(connection.takeUnretainedValue())
    } else {
      unsafe connection = nil
    }
  }
}
