import SluiceCore

/// The settings of decoders and encoders, compared by identity.
final class CodingSettings: Sendable {
  let strategies: CodingStrategies
  let userInfo: [CodingUserInfoKey: any Sendable]

  static let standard = CodingSettings(CodingStrategies())

  init(_ strategies: CodingStrategies, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.strategies = strategies
    self.userInfo = userInfo
  }

  /// The settings of the properties that have representations of their own, by coding key.
  var representations: [String: CodingSettings] {
    strategies.representations.mapValues {
      CodingSettings($0.replacing(in: strategies), userInfo: userInfo)
    }
  }
}

extension Connection {
  var codingSettings: CodingSettings? { clientState?.object as? CodingSettings }
}
