extension Connection {
  /// Follows what is read and written from now on, and tells `commits` of what was committed.
  @discardableResult
  func track(telling commits: CommitCenter? = nil) throws -> AccessTracker {
    let hooks = try hooksToChange()
    let tracker: AccessTracker
    if let known = state.tracker {
      tracker = known
    } else {
      let handle = try unsafe handle()
      tracker = unsafe AccessTracker(handle, self)
      state.tracker = tracker
      unsafe hooks.install(handle)
      unsafe hooks.recompileStatements(handle)
      // What was compiled before tells what it does only when it is compiled anew.
      clearStatementCache()
    }
    if let commits, tracker.commits == nil {
      tracker.commits = commits
      commits.begin()
      _ = tracker.othersHaveWritten(self)
    }
    return tracker
  }
}
