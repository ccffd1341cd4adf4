import SluiceCore

/// A sum that starts where each group starts, and refuses what is no integer.
class IntegerSum: SQLAggregateFunction {
  fileprivate var sum: Int64 = 0

  func step(_ values: borrowing SQLFunctionArguments) throws {
    sum += try values.get(Int64.self, at: 0)
  }

  func final() throws -> DatabaseValue { .integer(sum) }
}

/// The sum of what is in a window.
final class WindowSum: IntegerSum, SQLAggregateWindowFunction {
  func inverse(_ values: borrowing SQLFunctionArguments) throws {
    sum -= try values.get(Int64.self, at: 0)
  }

  func value() throws -> DatabaseValue { .integer(sum) }
}
