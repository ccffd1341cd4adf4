/// A copy of a row, which can be stored, sent and compared.
///
/// The copy is a collection of the columns in order:
///
/// ```swift
/// for row in try connection.query(.values, sql: "SELECT * FROM person") {
///   for column in row { print(column.name, column.value) }
/// }
/// ```
public struct RowValues: Hashable, Sendable {
  /// The names of the columns in order, which may contain duplicates.
  public let columnNames: [String]
  /// The values of the columns in order.
  public let values: [DatabaseValue]

  init(names: [String], values: [DatabaseValue]) {
    columnNames = names
    self.values = values
  }

  /// Returns the value in the column at `index`, counted from zero.
  ///
  /// An index outside the row throws ``ResultCode/range``.
  public func value(at index: Int) throws -> DatabaseValue {
    guard values.indices.contains(index) else {
      throw SQLiteError(
        .range, "There is no column at index \(index); the row has \(count) columns")
    }
    return values[index]
  }

  /// The value in the first column with this name, or nil if there is none.
  ///
  /// If no column has exactly this name, the case of ASCII letters is ignored.
  public subscript(name: String) -> DatabaseValue? {
    index(named: name).map { values[$0] }
  }

  func index(named name: String) -> Int? {
    columnNames.firstIndex { $0.isIdentical(to: name) }
      ?? columnNames.firstIndex { $0.utf8.isSameName(as: name.utf8) }
  }

  /// The values by column name.
  ///
  /// If several columns have names that are equal as Swift strings, the dictionary contains only the value of the
  /// first of them.
  public var dictionary: [String: DatabaseValue] {
    Dictionary(zip(columnNames, values)) { first, _ in first }
  }
}

extension RowValues: RandomAccessCollection {
  public var startIndex: Int { values.startIndex }
  public var endIndex: Int { values.endIndex }

  /// The name and value of a column.
  ///
  /// As with every collection, an index outside `indices` is a programming error; ``value(at:)`` throws for
  /// such an index.
  public subscript(index: Int) -> (name: String, value: DatabaseValue) {
    (columnNames[index], values[index])
  }
}

extension RowValues: CustomStringConvertible {
  /// The columns with their values as SQL literals, such as `(id: 1, name: 'Ada')`.
  public var description: String {
    "(\(map { "\($0.name): \($0.value)" }.joined(separator: ", ")))"
  }
}
