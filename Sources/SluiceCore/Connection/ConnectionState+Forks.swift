import CSluice

// A child that a process forks has its connections, but not its locks of files, and SQLite does not know.
extension ConnectionState {
  /// Has what is looked at before anything is done with the connection marked in each child, so that this costs
  /// nothing before.
  func watchForks() throws {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe forkWatch = sluice_watch_forks(me) { me in
      unsafe Unmanaged<ConnectionState>.fromOpaque(me!)._withUnsafeGuaranteedRef { state in
        state.isForked = true
      }
    }
    guard unsafe forkWatch != nil else {
      throw SQLiteError(.noMemory, "There is no memory for a connection")
    }
  }
}
