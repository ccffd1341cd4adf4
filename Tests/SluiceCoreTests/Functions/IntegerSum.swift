import SluiceCore

/// An aggregate that sums the integers of a group, and throws for a value that is not an integer.
class IntegerSum: SQLAggregateFunction {
  fileprivate var sum: Int64 = 0

  func step(_ values: borrowing SQLFunctionArguments) throws {
    sum += try values.get(Int64.self, at: 0)
  }

  func final() throws -> DatabaseValue { .integer(sum) }
}

/// A window function that sums the integers in its frame.
final class WindowSum: IntegerSum, SQLAggregateWindowFunction {
  func inverse(_ values: borrowing SQLFunctionArguments) throws {
    sum -= try values.get(Int64.self, at: 0)
  }

  func value() throws -> DatabaseValue { .integer(sum) }
}
