import SluiceCore
import TestSupport
import Testing

@Suite struct RowValuesTests {
  private func values() throws -> RowValues {
    try #require(
      try Connection().first(.values, sql: "SELECT 1 AS a, 'it''s' AS b, NULL AS c, 2 AS a"))
  }

  @Test func `a copy has the columns in order, with their names`() throws {
    let values = try values()
    #expect(values.columnNames == ["a", "b", "c", "a"])
    #expect(values.values == [1, "it's", .null, 2])
    #expect(values.count == 4)
    #expect(values.map(\.name) == values.columnNames)
    #expect(values.map(\.value) == values.values)
    #expect(values[3] == ("a", 2))
    #expect(values.last?.value == 2)
  }

  @Test func `a name means the first column of this name, and nil if there is none`() throws {
    let values = try values()
    #expect(values["a"] == 1)
    #expect(values["c"] == .some(.null))
    #expect(values["z"] == nil)
    #expect(values["A"] == nil)
    #expect(values.dictionary == ["a": 1, "b": "it's", "c": .null])
  }

  @Test func `copies are equal if names and values are`() throws {
    #expect(try values() == values())
    #expect(try Set([values(), values()]).count == 1)
    let renamed = try Connection().first(.values, sql: "SELECT 1 AS z, 'it''s' AS b, NULL AS c, 2")
    #expect(try renamed != values())
  }

  @Test func `a copy is described by its literals`() throws {
    #expect(try "\(values())" == "(a: 1, b: 'it''s', c: NULL, a: 2)")
  }

  @Test func `a copy can be sent`() async throws {
    let values = try values()
    #expect(await Task.detached { values["a"] }.value == 1)
  }

  @Test(arguments: [-1, 2, .max, .min]) func `a column that is not there throws`(index: Int) throws
  {
    let row = try #require(try Connection().prepare(sql: "SELECT 1, 'a'").rows().first)
    #expect(try row.value(at: 1) == "a")
    #expect(failure { try row.value(at: index) }?.code == .range)
  }
}
