/// The objects that hear of the statements, changes, commits and rollbacks of a connection.
struct Watchers {
  /// The tracker that records the accesses of statements on behalf of observers; set by `ConnectionState.tracker`.
  var tracker: AccessTracker?
  /// The work that waits for the end of a transaction; nil until there is such work.
  var transactions: TransactionWatch?
  /// The closure to call after each rollback.
  var rolledBack: (() -> Void)?
  /// The flag that is set when an observer is cancelled; set by `ConnectionState.cancellations`.
  var cancellations: CancellationFlag?
  /// The use of SQLite's preupdate hook.
  var preUpdates = PreUpdates()
}
