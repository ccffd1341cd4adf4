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
