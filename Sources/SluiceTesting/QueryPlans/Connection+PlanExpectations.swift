public import Foundation
import SluiceCore

/// Expectations about query plans, which throw if a plan differs from them.
extension Connection {
  /// Throws ``UnexpectedPlan`` if a statement does not use the index with this name.
  ///
  /// ```swift
  /// try connection.expect(index: "person_by_name", sql: "SELECT * FROM person WHERE name = ?")
  /// try connection.expectNoFullScan(sql: "SELECT * FROM person WHERE name = ?")
  /// ```
  ///
  /// Plans depend on the statistics from `ANALYZE`. If the real database has statistics, add the same
  /// statistics to the tested database.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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

  /// Throws ``UnexpectedPlan`` if a statement does not use the index with this name.
  public func expect(index: String, sql: String, parameters: SQLParameters) throws {
    let plan = try queryPlan(sql: sql, parameters: parameters)
    guard plan.uses(index: index) else {
      throw UnexpectedPlan(reason: "The plan does not use the index \(index)", sql: sql, plan: plan)
    }
  }

  /// Throws ``UnexpectedPlan`` if a statement scans all rows of a table: see ``QueryPlan/fullScans``.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
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

  /// Throws ``UnexpectedPlan`` if a statement scans all rows of a table: see ``QueryPlan/fullScans``.
  public func expectNoFullScan(sql: String, parameters: SQLParameters) throws {
    let plan = try queryPlan(sql: sql, parameters: parameters)
    guard let scan = plan.fullScans.first else { return }
    throw UnexpectedPlan(reason: "The plan scans all rows: \(scan.detail)", sql: sql, plan: plan)
  }
}

/// An error for a statement whose query plan differs from the plan that a test expects.
public struct UnexpectedPlan: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason why the plan is unexpected.
  public let reason: String
  /// The SQL text of the statement.
  public let sql: String
  /// The plan of the statement.
  public let plan: QueryPlan

  /// The reason, with the statement and its plan.
  public var description: String { "\(reason): \(sql)\n\(plan)" }
}

extension UnexpectedPlan: LocalizedError, CustomNSError {
  /// The domain of the error as an `NSError`: `SluiceTesting.UnexpectedPlan`.
  public static var errorDomain: String { "SluiceTesting.UnexpectedPlan" }

  /// The code of the error as an `NSError`: 1.
  public var errorCode: Int { 1 }

  /// The text of `localizedDescription`, which is the same as ``description``.
  public var errorDescription: String? { description }

  /// The user info of the error as an `NSError`: the text of `localizedDescription`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
