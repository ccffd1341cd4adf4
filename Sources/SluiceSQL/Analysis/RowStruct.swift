/// A struct for rows, or for a part of each row.
package struct RowStruct: Hashable, Sendable {
  package struct Property: Hashable, Sendable {
    /// The name in Swift.
    package let label: String
    package let type: TypeText
    let source: Source
  }

  /// The source of a property's value.
  indirect enum Source: Hashable, Sendable {
    /// The column with this index.
    case column(Int)
    /// The struct whose first column has this index.
    case embedded(RowStruct, at: Int, Absence?)
    /// The rows of another query, which are added after the row was read.
    case children
  }

  /// The condition under which an outer join has left a part of the row without a value.
  package struct Absence: Hashable, Sendable {
    /// The columns that are NULL, counted from the first column of the part.
    package let columns: [Int]
    /// Whether all of the columns must be NULL, instead of any of them.
    package let needsAll: Bool
  }

  package let name: String
  package let properties: [Property]

  var hasChildren: Bool { properties.contains { $0.source == .children } }

  /// The first properties that differ, or nil for a property that only one of the structs has; nil if the structs
  /// are equal.
  func difference(from other: RowStruct) -> (own: Property?, its: Property?)? {
    for index in 0..<max(properties.count, other.properties.count) {
      let own = index < properties.count ? properties[index] : nil
      let its = index < other.properties.count ? other.properties[index] : nil
      if own?.label != its?.label || own?.type != its?.type || own?.absence != its?.absence {
        return (own, its)
      }
    }
    return nil
  }
}

extension RowStruct.Property {
  /// The condition under which the value is missing; nil if there is none.
  var absence: RowStruct.Absence? {
    if case .embedded(_, _, let absence) = source { absence } else { nil }
  }
}

/// A struct with the query that uses it.
struct RowUse: Sendable {
  let row: RowStruct
  let query: String
  /// Whether the struct is only a part of the query's row.
  let isPart: Bool
}

extension CheckedQuery {
  /// The struct for the rows, and the structs in it.
  var rowUses: [RowUse] {
    guard let row else { return [] }
    return [RowUse(row: row, query: name, isPart: false)]
      + row.properties.compactMap { property in
        guard case .embedded(let part, _, _) = property.source else { return nil }
        return RowUse(row: part, query: name, isPart: true)
      }
  }
}

extension RowStruct.Property: CustomStringConvertible {
  /// The property as declared, followed by the properties of the struct in it.
  package var description: String {
    guard case .embedded(let row, _, _) = source else { return "\(label): \(type.swift)" }
    return "\(label): \(type.swift)(\(row.properties.map(\.description).joined(separator: ", ")))"
  }
}
