// Connections that a stream of rows keeps from one batch to the next.
extension ReaderPool {
  /// Leaves a connection to a stream; false if the pool closes, which waits for no stream.
  func keep(_ line: ConnectionLine, for stream: UInt64) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.stays[stream] = line
      return true
    }
  }

  /// The connection that a stream keeps.
  func line(of stream: UInt64) -> ConnectionLine? { state.withLock { $0.stays[stream] } }

  /// Takes back the connection of a stream that has nothing there any more.
  func endStay(of stream: UInt64) {
    if let line = state.withLock({ $0.stays.removeValue(forKey: stream) }) { give(line) }
  }

  /// Ends the statement of a stream, and takes its connection back.
  func evict(_ stream: UInt64) {
    line(of: stream)?.async { connection in
      _ = connection.cursors.removeValue(forKey: stream)
    } result: { [self] _ in
      endStay(of: stream)
    }
  }
}
