/// The location of a database, and the configuration of connections to it.
struct DatabaseLocation: Sendable {
  /// The path of the file; empty for a database that a caller identifies only by a URI.
  let filename: String
  /// The URI that opens the file; nil if the path suffices.
  ///
  /// The path of a connection's file suffices if the connection's URI has no parameters other than the mode and the
  /// cache.
  private let uri: String?
  private let configuration: Configuration
  /// The identity of the file that the writer has open, if it is known.
  private let identity: FileIdentity?

  /// Whether a monitor observes the connections.
  var isMonitored: Bool { configuration.monitor != nil }

  static func path(_ path: String, _ configuration: Configuration) -> Self {
    Self(filename: path, uri: nil, configuration: configuration, identity: nil)
  }

  static func uri(_ uri: String, _ configuration: Configuration) -> Self {
    Self(filename: "", uri: uri, configuration: configuration, identity: nil)
  }

  /// Opens and returns another connection, which is read-only.
  ///
  /// Throws if the path no longer refers to the file that the writer has open, because a reader of another file
  /// would combine that file with the WAL of this database.
  func openReader() throws -> sending Connection {
    try refuseOtherFile()
    let connection = try open()
    // The file may have been replaced while it was being opened.
    try refuseOtherFile()
    return connection
  }

  private func refuseOtherFile() throws {
    guard let identity, FileIdentity(path: filename) != identity else { return }
    throw otherFile
  }

  private var otherFile: SQLiteError {
    SQLiteError(
      .cantOpen,
      """
      The database file "\(filename)" was moved, deleted or replaced after it was opened for writing: \
      close the pool or queue that writes, and open another one
      """)
  }

  /// Makes each transaction of the writer throw if the path no longer refers to its file.
  func refuseWrites(toOtherFileBy writer: Connection) {
    if identity != nil { writer.state.writes.policy.movedFile = otherFile }
  }

  private func open() throws -> sending Connection {
    let connection =
      if let uri {
        try Connection(uri: uri, readOnly: true, configuration: configuration.forReading)
      } else {
        try Connection(path: filename, readOnly: true, configuration: configuration.forReading)
      }
    guard connection.isReadOnly() else {
      throw SQLiteError(
        .misuse, "A database with a shared cache cannot be opened read-only")
    }
    return connection
  }
}

extension DatabaseLocation {
  /// Creates the location of a connection's file; nil if the database is private to the connection.
  init?(of connection: Connection, openedBy uri: String? = nil, _ configuration: Configuration) {
    guard let filename = connection.path() else { return nil }
    self.init(
      filename: filename, uri: uri.flatMap { Self.uri(of: filename, openedBy: $0) },
      configuration: configuration, identity: FileIdentity(of: connection, path: filename))
  }

  /// Returns the URI of a file with the parameters of `uri` except the mode and the cache; nil if none remain.
  ///
  /// The cache is left out because a reader that shared the writer's cache could write.
  private static func uri(of filename: String, openedBy uri: String) -> String? {
    let query = uri.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }
    let parameters = query.dropFirst().split(separator: UInt8(ascii: "&")).filter {
      !$0.starts(with: "mode=".utf8) && !$0.starts(with: "cache=".utf8)
    }
    guard !parameters.isEmpty else { return nil }
    return fileURI(filename, parameters.map { String(Substring($0)) }.joined(separator: "&"))
  }
}

extension Configuration {
  /// A copy of this configuration without the settings that only a writing connection can apply.
  fileprivate var forReading: Configuration {
    var configuration = ownedByQueue
    configuration.journalMode = nil
    configuration.synchronous = nil
    configuration.pageSize = nil
    configuration.optimizesOnClose = false
    configuration.deletesFileOnClose = false
    return configuration
  }
}
