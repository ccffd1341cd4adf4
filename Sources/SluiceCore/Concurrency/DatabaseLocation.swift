/// Where a database is, and how connections to it are set up.
struct DatabaseLocation: Sendable {
  /// The path of the file.
  let filename: String
  /// The URI that means the file and says more of it, if there is one.
  private let uri: String?
  private let configuration: Configuration

  /// Whether somebody is told of what connections do.
  var isMonitored: Bool { configuration.monitor != nil }

  static func path(_ path: String, _ configuration: Configuration) -> Self {
    Self(filename: path, uri: nil, configuration: configuration)
  }

  static func uri(_ uri: String, _ configuration: Configuration) -> Self {
    Self(filename: "", uri: uri, configuration: configuration)
  }

  /// Opens one more connection, which can only read.
  func openReader() throws -> sending Connection {
    let connection =
      if let uri {
        try Connection(uri: uri, readOnly: true, configuration: configuration.forReading)
      } else {
        try Connection(path: filename, readOnly: true, configuration: configuration.forReading)
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
    self = Self(filename: filename, uri: fileURI(filename, rest), configuration: configuration)
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
