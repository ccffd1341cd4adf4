/// A prepared query, with the information that its Swift code needs.
package struct CheckedQuery: Sendable {
  /// A parameter of the query; parameters are listed in the order in which values are bound.
  package struct Parameter: Hashable, Sendable {
    /// The name in SQL, without its prefix.
    package let name: String
    /// The name in Swift.
    package let label: String
    package let type: TypeText
  }

  /// A column of the result.
  package struct Column: Hashable, Sendable {
    /// The name in SQL.
    package let name: String
    /// The name in Swift.
    package let label: String
    package let type: TypeText
  }

  let text: QueryText
  let forms: [QueryText.Form]
  package let parameters: [Parameter]
  package let columns: [Column]
  package let isReadOnly: Bool

  /// The name of the function.
  package var name: String { text.name.value }

  /// The name of the struct for the rows; nil for a single column without a declared struct.
  package var rowName: String? {
    if let row = text.row { return row.value }
    guard columns.count > 1 else { return nil }
    return text.ownRow
  }
}
