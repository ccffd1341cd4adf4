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
}

extension Connection {
  var codingSettings: CodingSettings? { clientState?.object as? CodingSettings }
}
