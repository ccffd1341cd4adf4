/// What a ``ConnectionPool`` has and does at a moment.
public struct PoolStatus: Hashable, Sendable {
  /// How many connections may read at the same time.
  public let readerLimit: Int
  /// How many connections are open for reading.
  public let openReaderCount: Int
  /// How many of them are in use, or being opened.
  public let busyReaderCount: Int
  /// How many reads wait for a connection.
  public let waitingReadCount: Int
  /// How many accesses wait in line for the connection that writes.
  public let waitingWriteCount: Int
  /// How many times a connection has had to wait for a lock of another one, such as one of another process.
  public let lockWaitCount: Int
  /// How many bytes the file of the WAL has; nil if there is none.
  public let walSize: Int?
}
