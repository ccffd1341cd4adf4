import SluiceCore
import TestSupport
import Testing

@Suite struct RowValuesTests {
  private func values() throws -> RowValues {
    try #require(
      try Connection().first(.values, sql: "SELECT 1 AS a, 'it''s' AS b, NULL AS c, 2 AS a"))
  }

  @Test func `row values preserve the order and names of the columns`() throws {
    let values = try values()
    #expect(values.columnNames == ["a", "b", "c", "a"])
    #expect(values.values == [1, "it's", .null, 2])
    #expect(values.count == 4)
    #expect(values.map(\.name) == values.columnNames)
    #expect(values.map(\.value) == values.values)
    #expect(values[3] == ("a", 2))
    #expect(values.last?.value == 2)
  }

  @Test func `row values return the first column with a name, or nil if no column has that name`()
    throws
  {
    let values = try values()
    #expect(values["a"] == 1)
    #expect(values["c"] == .some(.null))
    #expect(values["z"] == nil)
    #expect(values["A"] == 1)
    #expect(values.dictionary == ["a": 1, "b": "it's", "c": .null])
  }

  @Test func `row values are equal if their names and values are equal`() throws {
    #expect(try values() == values())
    #expect(try Set([values(), values()]).count == 1)
    let renamed = try Connection().first(.values, sql: "SELECT 1 AS z, 'it''s' AS b, NULL AS c, 2")
    #expect(try renamed != values())
  }

  @Test func `the description of row values contains SQL literals`() throws {
    #expect(try "\(values())" == "(a: 1, b: 'it''s', c: NULL, a: 2)")
  }

  @Test func `row values can be sent to another task`() async throws {
    let values = try values()
    #expect(await Task.detached { values["a"] }.value == 1)
  }

  @Test(arguments: [-1, 2, .max, .min]) func `reading row values at an index out of range throws`(
    index: Int
  ) throws {
    let row = try #require(try Connection().prepare(sql: "SELECT 1, 'a'").rows().first)
    #expect(try row.value(at: 1) == "a")
    #expect(failure { try row.value(at: index) }?.code == .range)
  }
}
