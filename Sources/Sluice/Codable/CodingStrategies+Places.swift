public import SluiceCore

extension Configuration {
  /// The strategies of connections that are opened with this configuration; see
  /// ``Connection/codingStrategies``.
  public var codingStrategies: CodingStrategies {
    get { (clientState?.object as? CodingSettings ?? .standard).strategies }
    set { clientState = ClientState(CodingSettings(newValue)) }
  }
}

extension Connection {
  /// How the properties of `Codable` types are stored by statements of this connection that have no
  /// strategies of their own.
  public var codingStrategies: CodingStrategies {
    get { (codingSettings ?? .standard).strategies }
    set { clientState = ClientState(CodingSettings(newValue)) }
  }
}

extension Statement {
  /// How the properties of `Codable` types are stored by this statement.
  ///
  /// They are those of the connection, also when these change, until they are set.
  public var codingStrategies: CodingStrategies {
    get { coding.refresh(self).strategies }
    set { coding.settings = CodingSettings(newValue) }
  }
}
