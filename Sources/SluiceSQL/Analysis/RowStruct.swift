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
    ///
    /// `absence` contains the columns that are all NULL in a row without the struct, counted from its first column;
    /// it is nil if no row lacks the struct.
    case embedded(RowStruct, at: Int, absence: [Int]?)
    /// The rows of another query, which are added after the row was read.
    case children
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
      guard let own, let its, own.isRead(like: its) else { return (own, its) }
    }
    return nil
  }
}

extension RowStruct.Property {
  /// Returns whether the code that reads this property also reads the other one, apart from the structs in them.
  fileprivate func isRead(like other: Self) -> Bool {
    guard label == other.label, type == other.type else { return false }
    return switch (source, other.source) {
    case (.column, .column), (.children, .children): true
    case (.embedded(_, _, let absence), .embedded(_, _, let other)): absence == other
    default: false
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
