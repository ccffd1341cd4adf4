/// A copy of a row, which can be kept, sent and compared.
///
/// It is a collection of the columns in order:
///
/// ```swift
/// for row in try connection.query(.values, sql: "SELECT * FROM person") {
///   for column in row { print(column.name, column.value) }
/// }
/// ```
public struct RowValues: Hashable, Sendable {
  /// The names of the columns, which need not differ from each other.
  public let columnNames: [String]
  /// The values of the columns in the same order.
  public let values: [DatabaseValue]

  init(names: [String], values: [DatabaseValue]) {
    columnNames = names
    self.values = values
  }

  /// The value in a column, counted from zero; an index outside of the row throws
  /// ``ResultCode/range``.
  public func value(at index: Int) throws -> DatabaseValue {
    guard values.indices.contains(index) else {
      throw SQLiteError(.range, "There is no column \(index); the row has \(count)")
    }
    return values[index]
  }

  /// The value of the first column of this name, or nil if there is none.
  public subscript(name: String) -> DatabaseValue? {
    columnNames.firstIndex { $0.isIdentical(to: name) }.map { values[$0] }
  }

  /// The values by name; of several columns with one name, or with names that Swift holds to be
  /// equal, the first counts.
  public var dictionary: [String: DatabaseValue] {
    Dictionary(zip(columnNames, values)) { first, _ in first }
  }
}

extension RowValues: RandomAccessCollection {
  public var startIndex: Int { values.startIndex }
  public var endIndex: Int { values.endIndex }

  /// The name and value of a column.
  ///
  /// As with every collection, an index outside of its `indices` is a programming error;
  /// ``value(at:)`` throws for one.
  public subscript(index: Int) -> (name: String, value: DatabaseValue) {
    (columnNames[index], values[index])
  }
}

extension RowValues: CustomStringConvertible {
  /// The columns as SQL literals, such as `(id: 1, name: 'Ada')`.
  public var description: String {
    "(\(map { "\($0.name): \($0.value)" }.joined(separator: ", ")))"
  }
}
