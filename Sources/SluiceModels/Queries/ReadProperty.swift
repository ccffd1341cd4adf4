import Sluice

/// A property whose values a query reads, in the representation of its column.
struct ReadProperty: Sendable {
  private let name: String
  private let model: any Model.Type
  private let columns: ReadColumns

  init<M: Model>(_ property: PartialKeyPath<M>) throws {
    let schema = try M.table.schema.get()
    name = schema.statements.property(of: try schema.column(property))
    model = M.self
    columns = schema.read
  }

  /// Returns the value of a column.
  func value<T: Decodable>(_ type: T.Type, _ row: borrowing Row, at index: Int) throws -> T {
    try row.decode(type, at: index, as: name, of: model, columns)
  }
}
