import CSluice

/// On the way into the cache, where a statement brings along nothing of whoever used it.
extension Statement {
  /// Prepares for the time in the cache; false if that is not possible.
  @inline(__always)
  func sleep() -> Bool {
    guard let handle = unsafe handle, progress != .atRow, isIdle else {
      return false
    }
    if parameters.count > 0 {
      unsafe sqlite3_clear_bindings(handle)
      parameters.clear()
      if state.hasReleased { state.drain() }
      // What has been let go of may have changed what names mean, or closed the connection.
      guard isForCache, unsafe self.handle != nil else { return false }
    }
    if progress != .ready { progress = .ready }
    return true
  }

  /// Sees to it that it does not come into the cache, or back there.
  func expire() {
    isForCache = false
    shedsAttachment = false
  }

  /// Sees to it that the cache does not keep what is attached now.
  package func willShedAttachment() {
    guard isForCache else { return }
    isForCache = false
    shedsAttachment = true
  }

  /// Lets go of what is attached; whether the statement goes to the cache then.
  @inline(never)
  func shedAttachment() -> Bool {
    guard shedsAttachment else { return false }
    shedsAttachment = false
    isForCache = true
    // What goes with it can do anything, also expire the statement.
    attachment = nil
    return isForCache
  }
}
