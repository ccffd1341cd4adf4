/// The reasons for which statements that write throw.
struct WritePolicy {
  /// Whether only statements that read can run.
  var isReading = false
  /// The error that writing statements throw while the WAL of a pool is at its limit.
  var walLimit: SQLiteError?
  /// The error that transactions throw after the file was moved; nil if this is not checked.
  var movedFile: SQLiteError?

  /// Whether statements that write throw an error.
  @inline(__always)
  var refusesStatements: Bool { isReading || walLimit != nil }
}
