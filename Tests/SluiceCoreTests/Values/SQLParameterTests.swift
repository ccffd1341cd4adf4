import SluiceCore
import TestSupport
import Testing

@Suite struct SQLParameterTests {
  private func stored(_ parameter: SQLParameter) throws -> DatabaseValue {
    try Connection().value("SELECT ?", parameter)
  }

  @Test func `Swift literals create parameters`() throws {
    let parameters: [SQLParameter] = [1, 1.5, "x", true, false, nil]
    #expect(try parameters.map(stored) == [1, 1.5, "x", 1, 0, .null])
  }

  @Test func `an optional binds NULL or its wrapped value`() throws {
    #expect(try stored(.int(Int?(5))) == 5)
    #expect(try stored(.int(nil)) == .null)
    #expect(try stored(.string(String?("x"))) == "x")
    #expect(try stored(.string(nil)) == .null)
    #expect(try stored(.bytes(Optional([1]))) == .blob([1]))
    #expect(try stored(.point(Point(x: 1, y: 2))) == "1;2")
    #expect(try stored(SQLParameter(Int?.none)) == .null)
    #expect(try stored(SQLParameter(Int?.some(5))) == 5)
  }

  @Test func `a value of any storable type creates a parameter`() throws {
    #expect(try stored(SQLParameter(Int8(-5))) == -5)
    #expect(try stored(SQLParameter("x")) == "x")
    #expect(try stored(SQLParameter(true)) == 1)
    #expect(try stored(SQLParameter(Float(0.5))) == 0.5)
    #expect(try stored(SQLParameter([1, 2] as [UInt8])) == .blob([1, 2]))
    #expect(try stored(SQLParameter(DatabaseValue.null)) == .null)
  }

  @Test func `a parameter's closure runs immediately, and binding throws the closure's error`()
    throws
  {
    var calls = 0
    let parameter = SQLParameter {
      calls += 1
      return 5
    }
    #expect(calls == 1)
    #expect(try stored(parameter) == 5)
    #expect(calls == 1)
    let bad = SQLParameter { throw SQLiteError(.full, "No room") }
    #expect(failure { try stored(bad) } == SQLiteError(.full, "No room"))
  }

  @Test func `binding an unsigned integer that is too large throws`() {
    #expect(failure { try stored(.uint64(.max)) }?.code == .range)
    #expect(failure { try stored(.uint(.max)) }?.code == .range)
    #expect(failure { try stored(.uint64(UInt64(Int64.max))) } == nil)
  }

  @Test func `a parameter can be sent to another task`() async throws {
    let parameter = SQLParameter.int(5)
    #expect(try await Task.detached { try Connection().value("SELECT ?", parameter) }.value == 5)
  }
}
