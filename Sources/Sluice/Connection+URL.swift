public import Foundation
public import SluiceCore

extension Connection {
  /// Opens the database file at `url`.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL. The URL's query is passed to SQLite, as in
  /// `file:///app.db?mode=ro`. In all other respects, this initializer behaves like
  /// ``Connection/init(path:readOnly:create:configuration:)``.
  public convenience init(
    url: URL, readOnly: Bool = false, create: Bool = true,
    configuration: Configuration = Configuration()
  ) throws {
    try self.init(
      uri: url.databaseURI(), readOnly: readOnly, create: create, configuration: configuration)
  }

  /// Attaches the database file at `url` under a name that SQL can use.
  ///
  /// Throws ``ResultCode/cantOpen`` for a URL that is not a file URL. The URL's query is passed to SQLite, as in
  /// `file:///archive.db?mode=ro`.
  public func attach(
    url: URL, as name: String, encryptionKey: EncryptionKey? = nil
  ) throws {
    try attach(uri: url.databaseURI(), as: name, encryptionKey: encryptionKey)
  }
}

extension ConnectionQueue {
  /// Creates a queue for the database file at `url`.
  ///
  /// See ``Connection/init(url:readOnly:create:configuration:)``.
  public convenience init(
    url: URL, create: Bool = true, label: String = "ConnectionQueue",
    qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil,
    configuration: Configuration = Configuration()
  ) throws {
    try self.init(
      uri: url.databaseURI(), create: create, label: label, qos: qos, target: target,
      configuration: configuration)
  }
}

extension ConnectionReadQueue {
  /// Creates a queue that reads the database file at `url`.
  public convenience init(
    url: URL, label: String = "ConnectionReadQueue", qos: DispatchQoS = .unspecified,
    target: DispatchQueue? = nil, configuration: Configuration = Configuration()
  ) throws {
    try self.init(
      uri: url.databaseURI(), label: label, qos: qos, target: target, configuration: configuration)
  }
}

extension ConnectionPool {
  /// Creates a pool for the database file at `url`.
  ///
  /// Throws ``ResultCode/misuse`` if `readers` is less than one. See
  /// ``Connection/init(url:readOnly:create:configuration:)``.
  public convenience init(
    url: URL, create: Bool = true, readers: Int = 4, label: String = "ConnectionPool",
    qos: DispatchQoS = .unspecified, configuration: Configuration = Configuration(),
    upkeep: PoolUpkeep = PoolUpkeep()
  ) throws {
    try self.init(
      uri: url.databaseURI(), create: create, readers: readers, label: label, qos: qos,
      configuration: configuration, upkeep: upkeep)
  }
}

extension URL {
  fileprivate func databaseURI() throws -> String {
    guard isFileURL else {
      throw SQLiteError(.cantOpen, "The URL must be a file URL (got \(absoluteString))")
    }
    return absoluteURL.absoluteString
  }
}
