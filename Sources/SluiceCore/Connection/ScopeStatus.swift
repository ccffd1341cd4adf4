/// The transactions and savepoints in which closures run.
struct ScopeStatus {
  /// The number of open ones.
  var depth = 0
  /// The state of the transaction around the closures; sound if there is none.
  ///
  /// `ConnectionState.scopeState` sets this property, and the condition that statements check.
  var state = ScopeState.sound
  /// Whether a COMMIT has failed in such a way that the transaction may or may not be on disk.
  var hasUncertainCommit = false
}
