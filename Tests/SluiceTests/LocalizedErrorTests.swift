import Foundation
import Sluice
import SluiceTesting
import TestSupport
import Testing

/// Tests the descriptions, codes and domains of errors in Foundation.
@Suite struct LocalizedErrorTests {
  private func expect(
    _ error: any Error, _ text: String, _ code: Int, _ domain: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(error.localizedDescription == text, sourceLocation: location)
    let bridged = error as NSError
    #expect(bridged.localizedDescription == text, sourceLocation: location)
    #expect(bridged.code == code, sourceLocation: location)
    #expect(bridged.domain == domain, sourceLocation: location)
  }

  @Test func `an SQLiteError as NSError has the error's description and its extended result code`()
    throws
  {
    let connection = try Connection()
    try connection.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    let thrown = failure { try connection.execute("INSERT INTO t VALUES (1)") }
    let error = try #require(thrown)
    let text =
      "UNIQUE constraint failed: t.a [SQLITE_CONSTRAINT_UNIQUE (2067)] in: \(error.sql ?? "")"
    expect(error, text, 2067, "Sluice.SQLiteError")
  }

  @Test func `a DeadlineError as NSError has the error's description`() {
    let error = DeadlineError(deadline: .now)
    expect(error, error.description, 1, "Sluice.DeadlineError")
  }

  @Test func `each case of MigrationError as NSError has its description and its own code`() throws
  {
    let steps = try Migrator([Migration("one") { _ in }, Migration("two") { _ in }]).steps
    let (step, other) = (steps[0], steps[1])
    let errors: [MigrationError] = [
      .fromTheFuture(step), .unknown(step), .reordered(applied: step, listed: other),
      .changed(applied: step, listed: other), .missing(step), .unrecorded(userVersion: 3),
      .partlyMerged(step, applied: [], missing: [other]),
    ]
    for (index, error) in errors.enumerated() {
      expect(error, error.description, index + 1, "Sluice.MigrationError")
    }
  }

  @Test func `an UnexpectedPlan as NSError has the error's description`() throws {
    let connection = try Connection()
    try connection.execute("CREATE TABLE t(a)")
    let error = #expect(throws: UnexpectedPlan.self) {
      try connection.expectNoFullScan(sql: "SELECT * FROM t")
    }
    if let error { expect(error, error.description, 1, "SluiceTesting.UnexpectedPlan") }
  }
}
