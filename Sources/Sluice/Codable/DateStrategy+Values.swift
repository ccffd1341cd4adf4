public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A date as a strategy stores it, such as `.date(born, as: .julianDay)`; NULL for nil.
  ///
  /// A date that the strategy refuses throws ``ResultCode/range`` when it is bound. The strategies of the
  /// connection apply to `Codable` types only, and not here.
  public static func date(_ date: Date?, as strategy: DateStrategy) -> SQLParameter {
    SQLParameter(date) { date in
      do { return try strategy.encode(date) } catch let refusal as Refusal {
        // The error contains a number of seconds, because Foundation cannot print every date.
        let seconds = date.timeIntervalSinceReferenceDate
        throw SQLiteError(.range, "The date \(seconds) seconds after 2001-01-01 \(refusal.reason)")
      }
    }
  }
}

extension ColumnValueConverter where Value == Date {
  /// A date as a strategy reads it, such as `row.get(.date(as: .julianDay), named: "born")`.
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
