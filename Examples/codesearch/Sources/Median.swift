import Sluice

/// The value in the middle of a group, which says more of a typical one than the mean does.
///
/// Of an even number, it is the lower of the two in the middle; of none, NULL.
final class Median: SQLAggregateFunction {
  private var values: [Int64] = []

  func step(_ arguments: borrowing SQLFunctionArguments) throws {
    if let value = try arguments.get(Int64?.self, at: 0) { values.append(value) }
  }

  func final() -> DatabaseValue {
    values.isEmpty ? .null : .integer(values.sorted()[(values.count - 1) / 2])
  }
}
