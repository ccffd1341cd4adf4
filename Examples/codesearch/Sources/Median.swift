import Sluice

/// An aggregate that returns the median, which represents a typical value better than the mean.
///
/// For an even number of values, the median is the lower of the two middle values; without values, it is NULL.
final class Median: SQLAggregateFunction {
  private var values: [Int64] = []

  func step(_ arguments: borrowing SQLFunctionArguments) throws {
    if let value = try arguments.get(Int64?.self, at: 0) { values.append(value) }
  }

  func final() -> DatabaseValue {
    values.isEmpty ? .null : .integer(values.sorted()[(values.count - 1) / 2])
  }
}
