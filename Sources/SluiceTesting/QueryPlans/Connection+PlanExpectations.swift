public import Foundation
import SluiceCore

/// An expectation of a plan, which fails a test.
extension Connection {
  /// Throws ``UnexpectedPlan`` unless one statement uses an index of this name.
  ///
  /// ```swift
  /// try connection.expect(index: "person_by_name", sql: "SELECT * FROM person WHERE name = ?")
  /// try connection.expectNoFullScan(sql: "SELECT * FROM person WHERE name = ?")
  /// ```
  ///
  /// Plans depend on statistics: see that the database has those of `ANALYZE`, if the real one has them.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func expect<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    index: String, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws {
    try expect(index: index, sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// Throws ``UnexpectedPlan`` unless one statement uses an index of this name.
  public func expect(index: String, sql: String, parameters: SQLParameters) throws {
    let plan = try queryPlan(sql: sql, parameters: parameters)
    guard plan.uses(index: index) else {
      throw UnexpectedPlan(reason: "The plan does not use the index \(index)", sql: sql, plan: plan)
    }
  }

  /// Throws ``UnexpectedPlan`` if one statement looks at each row of a table: see ``QueryPlan/fullScans``.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func expectNoFullScan<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    sql: String, parameters a: A = SQLParameters.NoValue(), _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) throws {
    try expectNoFullScan(sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// Throws ``UnexpectedPlan`` if one statement looks at each row of a table: see ``QueryPlan/fullScans``.
  public func expectNoFullScan(sql: String, parameters: SQLParameters) throws {
    let plan = try queryPlan(sql: sql, parameters: parameters)
    guard let scan = plan.fullScans.first else { return }
    throw UnexpectedPlan(reason: "The plan scans all rows: \(scan.detail)", sql: sql, plan: plan)
  }
}

/// A statement has another plan than a test expects.
public struct UnexpectedPlan: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault of the plan.
  public let reason: String
  /// The statement.
  public let sql: String
  /// The plan that it has.
  public let plan: QueryPlan

  /// The fault, with the statement and its plan.
  public var description: String { "\(reason): \(sql)\n\(plan)" }
}

extension UnexpectedPlan: LocalizedError, CustomNSError {
  /// The domain of the error as an `NSError`: `SluiceTesting.UnexpectedPlan`.
  public static var errorDomain: String { "SluiceTesting.UnexpectedPlan" }

  /// The code of the error as an `NSError`: 1.
  public var errorCode: Int { 1 }

  /// The text of `localizedDescription`: the same as ``description``.
  public var errorDescription: String? { description }

  /// The text of `localizedDescription` as an `NSError` keeps it.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
