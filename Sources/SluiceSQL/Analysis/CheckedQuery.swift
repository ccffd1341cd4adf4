/// A query that has been prepared, with what Swift code for it needs.
package struct CheckedQuery: Sendable {
  /// A parameter, in the order in which values are bound.
  package struct Parameter: Hashable, Sendable {
    /// The name in SQL, without its mark.
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

  /// The name of its function.
  package var name: String { text.name.value }

  /// The struct for its rows, or nil if they have one column and none is asked for.
  package var rowName: String? {
    if let row = text.row { return row.value }
    guard columns.count > 1 else { return nil }
    return text.ownRow
  }
}
