import SluiceCore
import TestSupport
import Testing

@Suite struct DatabaseValueTests {
  static let all: [DatabaseValue] = [
    0, 1, -1, .integer(.max), .integer(.min), 0.0, 1.0, 1.5, -2.25, 1e20, 1e-5, 1e300,
    .real(.infinity),
    .real(-.infinity), "", "x", "it's", "''", "'", "\"", "ä→🙂", "'\u{301}", "a'\u{200d}b",
    .blob([]),
    .blob([0]), .blob([0, 15, 16, 255]), .null,
  ]

  @Test func `Swift literals create values`() {
    let values: [DatabaseValue] = [1, -1, 1.5, 3.0, "x", true, false, nil]
    #expect(
      values == [
        .integer(1), .integer(-1), .real(1.5), .real(3), .text("x"), .integer(1), .integer(0),
        .null,
      ])
  }

  @Test func `NULL equals only NULL`() {
    #expect(DatabaseValue.null == .null)
    #expect(Self.all.filter { $0 == .null } == [.null])
    #expect(Self.all.filter(\.isNull).count == 1)
  }

  @Test func `values of different storage classes are unequal`() {
    #expect(DatabaseValue.integer(1) != .real(1))
    #expect(DatabaseValue.text("1") != .integer(1))
    #expect(DatabaseValue.text("x") != .blob([0x78]))
    #expect(DatabaseValue.text("") != .null)
    #expect(DatabaseValue.blob([]) != .text(""))
    #expect(Set(Self.all).count == Self.all.count)
    #expect(Set(Self.all + Self.all).count == Self.all.count)
  }

  @Test func `each kind of value reports its SQL storage class`() {
    let values: [DatabaseValue] = [1, 1.5, "x", .blob([]), nil]
    #expect(values.map(\.storageClass) == StorageClass.allCases)
    #expect(
      StorageClass.allCases.map(\.rawValue) == ["INTEGER", "REAL", "TEXT", "BLOB", "NULL"])
  }

  @Test func `the description of a DatabaseValue is an SQL literal`() {
    let values: [DatabaseValue] = [
      42, -1, 3.0, 1.5, "x", "it's", .blob([0, 15, 255]), .blob([]), .null, "",
    ]
    #expect(
      values.map(\.description) == [
        "42", "-1", "3.0", "1.5", "'x'", "'it''s'", "x'000fff'", "x''", "NULL", "''",
      ])
  }

  @Test(arguments: all) func `an interpolated value reads back unchanged`(
    value: DatabaseValue
  ) throws {
    #expect(try Connection().value("SELECT \(value)") == value)
  }

  @Test(arguments: all) func `a bound value reads back unchanged`(value: DatabaseValue)
    throws
  {
    #expect(try Connection().value("SELECT ?", .value(value)) == value)
  }

  @Test func `a DatabaseValue can be sent to another task`() async {
    let value: DatabaseValue = "x"
    #expect(await Task.detached { value }.value == "x")
  }
}
