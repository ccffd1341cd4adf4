/// The rules of a table for its columns, which replace those of a connection.
package struct ColumnRules: Sendable {
  package let keys: KeyStrategy
  /// The representations of single properties, by coding key.
  package let representations: [String: ColumnRepresentation]

  package init(keys: KeyStrategy, representations: [String: ColumnRepresentation]) {
    self.keys = keys
    self.representations = representations
  }

  /// Returns strategies with these rules.
  package func strategies(_ base: CodingStrategies) -> CodingStrategies {
    var strategies = base
    strategies.keys = keys
    strategies.representations.merge(representations) { $1 }
    return strategies
  }

  func settings(_ base: CodingSettings) -> CodingSettings {
    CodingSettings(strategies(base.strategies), userInfo: base.userInfo)
  }
}

/// The columns that a model reads.
package struct ReadColumns: Sendable {
  package let names: [String]
  package let rules: ColumnRules

  package init(_ names: [String], _ rules: ColumnRules) {
    self.names = names
    self.rules = rules
  }
}
