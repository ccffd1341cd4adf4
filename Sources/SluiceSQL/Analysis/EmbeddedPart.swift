/// The columns of a result that form a struct in the struct for the row.
package struct EmbeddedPart: Sendable {
  let embed: QueryText.Embed
  /// The name of the property.
  package let label: String
  package let columns: Range<Int>
  /// Whether each column can be NULL in a row that has this part.
  let mayBeNull: [Bool]
  /// The columns that are all NULL in a row without this part, counted from its first column; nil if no row lacks it.
  package let absence: [Int]?

  /// Returns the property that contains the part.
  func property(of columns: [CheckedQuery.Column]) -> RowStruct.Property {
    let properties = self.columns.enumerated().map { position, index in
      RowStruct.Property(
        label: columns[index].label, type: columns[index].type, source: .column(position))
    }
    let part = RowStruct(name: embed.structName, properties: properties)
    return RowStruct.Property(
      label: label, type: TypeText(part.name, isOptional: absence != nil),
      source: .embedded(part, at: self.columns.lowerBound, absence: absence))
  }
}
