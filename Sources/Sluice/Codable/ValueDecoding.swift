import Foundation

/// The conversions from columns to values, with Foundation's decoders for nested values.
final class ValueDecoding {
  let strategies: CodingStrategies
  private(set) lazy var json = JSONDecoder(settings)
  private(set) lazy var propertyList = PropertyListDecoder(settings)
  private let settings: CodingSettings

  init(_ settings: CodingSettings) {
    self.settings = settings
    strategies = settings.strategies
  }
}

/// The conversions from values to parameters, with Foundation's encoders for nested values.
final class ValueEncoding {
  let strategies: CodingStrategies
  private(set) lazy var json = JSONEncoder(settings)
  private(set) lazy var propertyList = PropertyListEncoder(settings)
  private let settings: CodingSettings

  init(_ settings: CodingSettings) {
    self.settings = settings
    strategies = settings.strategies
  }
}
