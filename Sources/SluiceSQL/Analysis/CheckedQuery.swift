/// A query that has been prepared, with what Swift code for it needs.
package struct CheckedQuery: Sendable {
  /// A parameter, in the order in which values are bound.
  struct Parameter: Hashable, Sendable {
    /// The name in SQL, without its mark.
    let name: String
    /// The name in Swift.
    let label: String
    let type: TypeText
  }

  /// A column of the result.
  struct Column: Hashable, Sendable {
    /// The name in SQL.
    let name: String
    /// The name in Swift.
    let label: String
    let type: TypeText
  }

  let text: QueryText
  let forms: [QueryText.Form]
  let parameters: [Parameter]
  let columns: [Column]
  let isReadOnly: Bool

  /// The struct for its rows, or nil if they have one column and none is asked for.
  var rowName: String? {
    if let row = text.row { return row.value }
    guard columns.count > 1 else { return nil }
    return text.name.value.prefix(1).uppercased() + text.name.value.dropFirst() + "Row"
  }
}
