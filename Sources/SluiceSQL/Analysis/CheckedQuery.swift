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

  /// The rows of another query that belong to each row.
  struct Children: Sendable {
    /// The property that contains the children.
    let label: String
    /// The query that reads the children.
    let query: CheckedQuery
    /// The label of the parameter that receives the keys of all rows.
    let keys: String
    /// The key in a row, and in a child, as written in Swift.
    let key: String
    let childKey: String
    /// Whether two keys that are equal in Swift are also equal in SQL.
    let isExact: Bool

    /// The other parameters of the query that reads the children.
    var parameters: [Parameter] { query.allParameters.filter { $0.label != keys } }
  }

  let text: QueryText
  let forms: [QueryText.Form]
  package let parameters: [Parameter]
  package let columns: [Column]
  /// The parts of the row that are structs of their own.
  package let parts: [EmbeddedPart]
  package let isReadOnly: Bool
  /// The reason for which all columns are optional; nil if the analysis has succeeded, or there are no columns.
  let obstacle: String?
  var children: [Children] = []

  /// The name of the function.
  package var name: String { text.name.value }

  /// The name of the struct for the rows; nil for a single column without a declared struct.
  package var rowName: String? {
    if let row = text.row { return row.value }
    guard columns.count > 1 || !parts.isEmpty || !text.children.isEmpty else { return nil }
    return text.ownRow
  }

  /// The struct for the rows; nil for a single column without a declared struct.
  package var row: RowStruct? {
    guard let rowName else { return nil }
    var properties: [RowStruct.Property] = []
    for (index, column) in columns.enumerated() {
      guard let part = part(of: index) else {
        properties.append(.init(label: column.label, type: column.type, source: .column(index)))
        continue
      }
      if index == part.columns.lowerBound { properties.append(part.property(of: columns)) }
    }
    for children in children {
      guard let element = children.query.rowName else { continue }
      properties.append(
        .init(label: children.label, type: TypeText("[\(element)]"), source: .children))
    }
    return RowStruct(name: rowName, properties: properties)
  }

  /// Returns the part of the row that contains a column; nil if the row itself contains it.
  func part(of column: Int) -> EmbeddedPart? { parts.first { $0.columns.contains(column) } }

  /// The first form of the result other than `stream` and `live`; `many` if there is no other form.
  var size: QueryText.Form { forms.first { $0 != .stream && $0 != .live } ?? .many }

  var isOnlyStream: Bool { forms == [.stream] }

  /// The parameters of the function: those of the query, and those that only the queries of its children have.
  var allParameters: [Parameter] {
    var all = parameters
    for parameter in children.flatMap(\.parameters)
    where !all.contains(where: { $0.label == parameter.label }) {
      all.append(parameter)
    }
    return all
  }
}
