/// The objects of a connection that users hold, and those that can keep a transaction from ending.
struct LiveObjects {
  /// The number of live statements that users of the connection have prepared.
  var statements = 0
  /// The number of blobs, sessions and backups.
  var dependents = 0
  /// The number of active writers: writing statements at a row, and blobs that can write.
  var standingWriters = 0

  /// Whether there are none.
  @inline(__always)
  var isEmpty: Bool { statements | dependents | standingWriters == 0 }
}
