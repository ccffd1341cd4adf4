/// Where a database is, and how connections to it are set up.
enum DatabaseLocation: Sendable {
  case path(String, Configuration)
  case uri(String, Configuration)

  /// Opens one more connection, which can only read.
  func openReader() throws(SQLiteError) -> sending Connection {
    switch self {
    case .path(let path, let configuration):
      try Connection(path: path, readOnly: true, configuration: configuration.forReading)
    case .uri(let uri, let configuration):
      try Connection(uri: uri, readOnly: true, configuration: configuration.forReading)
    }
  }
}

extension Configuration {
  /// This configuration without what only a connection that writes can do.
  fileprivate var forReading: Configuration {
    var configuration = ownedByQueue
    configuration.journalMode = nil
    configuration.optimizesOnClose = false
    return configuration
  }
}
