import Dispatch

// How the connections come to an end, or to a halt.
extension ReaderPool.State {
  /// Those who wait for the end, if it has come.
  mutating func takeClosers() -> [DispatchSemaphore] {
    guard !closers.isEmpty, waiters.isEmpty, busyCount == 0 else { return [] }
    defer { closers = [] }
    return closers
  }
}

extension ReaderPool {
  /// Keeps connections from being lent until `resume()`, and stops what runs.
  func halt() {
    state.withLock { state in
      state.isSuspended = true
      for line in state.lines { line.halt() }
    }
    // One that was being opened joins those that are idle.
  }

  /// Returns when no connection has a lock any more, or all go on.
  func waitForHalt() throws {
    for line in state.withLock({ $0.lines }) { try line.waitForHalt() }
  }

  /// Lends no connection until `letGo()`; those that are in use come back.
  func holdBack() { state.withLock { $0.barrierCount += 1 } }

  func letGo() {
    state.withLock { $0.barrierCount -= 1 }
    serve()
  }

  /// Whether a connection is in use or being opened.
  var isBusy: Bool { state.withLock { $0.busyCount > 0 } }

  func resume() {
    state.withLock { state in
      state.isSuspended = false
      for line in state.lines { line.resume() }
    }
    serve()
  }

  /// Closes all connections, after those who were called before have had theirs, or at once.
  func close(_ mode: CloseMode) throws {
    let over = DispatchSemaphore(value: 0)
    let (waiters, lines, streams) = state.withLock { state in
      state.isClosed = true
      if mode == .interrupt { state.isInterrupted = true }
      var gone: [Waiter] = []
      if mode == .interrupt { swap(&gone, &state.waiters) }
      if state.waiters.isEmpty, state.busyCount == 0 {
        over.signal()
      } else {
        state.closers.append(over)
      }
      return (gone, state.lines, Array(state.stays.keys))
    }
    for waiter in waiters { waiter.take(.failure(closed)) }
    for stream in streams { evict(stream) }
    if mode == .interrupt {
      for line in lines {
        line.stopForGood()
        // What had its turn just before a halt hears that it is too late.
        line.resume()
      }
    }
    over.wait()
    let open = state.withLock { state in
      defer {
        state.lines = []
        state.idle = []
      }
      return state.lines
    }
    var failure: (any Error)?
    for line in open {
      do { try line.close(.interrupt, checkpoints: false) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
