/// Where a database is, and how connections to it are set up.
enum DatabaseLocation: Sendable {
  case path(String, Configuration)
  case uri(String, Configuration)

  /// Opens one more connection, which can only read.
  func openReader() throws -> sending Connection {
    let connection =
      switch self {
      case .path(let path, let configuration):
        try Connection(path: path, readOnly: true, configuration: configuration.forReading)
      case .uri(let uri, let configuration):
        try Connection(uri: uri, readOnly: true, configuration: configuration.forReading)
      }
    guard connection.isReadOnly() else {
      throw SQLiteError(
        .misuse, "The database shares its cache, and so cannot be opened to read only")
    }
    return connection
  }
}

extension DatabaseLocation {
  /// The location of the file that a URI has opened, with what the URI says beside its mode
  /// and cache: to share the cache of the writer is to write as it does.
  init(_ filename: String, openedBy uri: String, _ configuration: Configuration) {
    let query = uri.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }
    let parameters = query.dropFirst().split(separator: UInt8(ascii: "&")).filter {
      !$0.starts(with: "mode=".utf8) && !$0.starts(with: "cache=".utf8)
    }
    guard !parameters.isEmpty else {
      self = .path(filename, configuration)
      return
    }
    let rest = parameters.map { String(Substring($0)) }.joined(separator: "&")
    self = .uri(fileURI(filename, rest), configuration)
  }
}

extension Configuration {
  /// This configuration without what only a connection that writes can do.
  fileprivate var forReading: Configuration {
    var configuration = ownedByQueue
    configuration.journalMode = nil
    configuration.optimizesOnClose = false
    configuration.deletesFileOnClose = false
    return configuration
  }
}
