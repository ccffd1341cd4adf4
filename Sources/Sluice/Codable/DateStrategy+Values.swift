public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a date in the form of a strategy, such as `.date(born, as: .julianDay)`; NULL for
  /// nil.
  ///
  /// If the strategy rejects the date, binding it throws ``ResultCode/range``. The connection's strategies do not
  /// apply here, but only to `Codable` types.
  public static func date(_ date: Date?, as strategy: DateStrategy) -> SQLParameter {
    SQLParameter(date) { date in
      do { return try strategy.encode(date) } catch let refusal as Refusal {
        // The error contains seconds instead of the date, because Foundation cannot print every date.
        let seconds = date.timeIntervalSinceReferenceDate
        throw SQLiteError(.range, "The date \(seconds) seconds after 2001-01-01 \(refusal.reason)")
      }
    }
  }
}

extension ColumnValueConverter where Value == Date {
  /// Returns a converter that reads a date with a strategy, as in `row.get(.date(as: .julianDay), named:
  /// "born")`.
  public static func date(as strategy: DateStrategy) -> Self {
    Self { row, index in
      let stored = try row.value(at: index)
      guard !stored.isNull else { throw row.mismatch(at: index, "is NULL") }
      do { return try strategy.decode(stored) } catch let refusal as Refusal {
        throw row.mismatch(at: index, refusal.reason)
      }
    }
  }
}
