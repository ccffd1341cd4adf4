/// The rules of a table for its columns, which replace those of a connection.
package struct ColumnRules: Sendable {
  /// The strategies with these rules alone, which name the columns.
  private let own: CodingStrategies
  /// The representations of single properties, by coding key.
  package var representations: [String: ColumnRepresentation] { own.representations }
  /// The prefixes of the columns of nested values that have columns of their own, by the coding key of the property.
  fileprivate var groups: [String: String] { own.groups }

  package init(
    keys: KeyStrategy, groups: [String: String] = [:],
    representations: [String: ColumnRepresentation] = [:]
  ) {
    var own = CodingStrategies(keys: keys)
    own.groups = groups
    own.representations = representations
    self.own = own
  }

  /// Returns the name of a property's column.
  package func name(of property: String) -> String { own.name(of: property) }

  /// Returns strategies with these rules.
  package func strategies(_ base: CodingStrategies) -> CodingStrategies {
    var strategies = base
    strategies.keys = own.keys
    strategies.groups = own.groups
    strategies.representations.merge(own.representations) { $1 }
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
  /// The columns of nested values, by the coding key of the property, with their names in the nested value.
  let groups: [String: ColumnGroup]

  /// Creates the columns from their names and properties, which contain a period in a nested value: `address.street`.
  package init(_ columns: [(name: String, property: String)], _ rules: ColumnRules) {
    names = columns.map(\.name)
    self.rules = rules
    groups = rules.groups.reduce(into: [:]) { groups, group in
      let (key, prefix) = group
      let own = columns.filter { $0.property.hasPrefix("\(key).") }.map { column in
        // The columns of a nested value inside of this one keep their names, by which that value finds them.
        let isInner = column.property.dropFirst(key.count + 1).contains(".")
        let name = isInner ? column.name : String(column.name.dropFirst(prefix.count))
        return (column: column.name, name: name)
      }
      groups[key] = ColumnGroup(own)
    }
  }
}

/// The columns of a nested value, with their names in the nested value.
struct ColumnGroup: Sendable {
  let columns: [(column: String, name: String)]
  /// A text that differs for different columns.
  let id: String

  init(_ columns: [(column: String, name: String)]) {
    self.columns = columns
    id = columns.map { "\($0.column)\0\($0.name)" }.joined(separator: "\0")
  }
}
