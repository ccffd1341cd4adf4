public import SluiceCore

extension Configuration {
  /// The strategies of connections that are opened with this configuration.
  ///
  /// See ``Connection/codingStrategies``.
  public var codingStrategies: CodingStrategies {
    get { (clientState?.object as? CodingSettings ?? .standard).strategies }
    set { clientState = ClientState(CodingSettings(newValue)) }
  }
}

extension Connection {
  /// The strategies for `Codable` types in statements without their own strategies.
  public var codingStrategies: CodingStrategies {
    get { (codingSettings ?? .standard).strategies }
    set { clientState = ClientState(CodingSettings(newValue)) }
  }
}

extension Statement {
  /// The strategies for `Codable` types in this statement.
  ///
  /// Until you set this property, its value is the connection's strategies, including later changes to them.
  public var codingStrategies: CodingStrategies {
    get { coding.refresh(self).strategies }
    set { coding.settings = CodingSettings(newValue) }
  }
}
