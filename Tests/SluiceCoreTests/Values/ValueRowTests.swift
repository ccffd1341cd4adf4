import Dispatch
import SluiceCore
import Synchronization
import TestSupport
import Testing

/// Copied values that converters read.
@Suite struct `values read by converters` {
  private static let values: [DatabaseValue] = [
    .null, 0, 1, -1, 42, 300, .integer(.max), .integer(.min), 3.0, 3.5, .real(1e300), "", "7",
    "3.0", "x",
    "naïve", "4\u{0}2", .blob([]), .blob([55]), .blob([0xff]),
  ]

  /// Expects a converter to read a copy as it reads the column of a statement.
  private func expectSame<T: Equatable & Sendable>(_ converter: ColumnValueConverter<T>) throws {
    let connection = try Connection()
    for value in Self.values {
      let stored = Result {
        try connection.first(.column(converter), sql: "SELECT ? AS value", parameters: value)
      }
      let copied = Result { try value.get(converter) }
      switch (stored, copied) {
      case (.success(let stored), .success(let copied)): #expect(stored == copied, "\(value)")
      case (.failure(let stored as SQLiteError), .failure(let copied as SQLiteError)):
        #expect(stored.code == copied.code && stored.message == copied.message, "\(value)")
        #expect(copied.sql == nil, "\(value)")
      default: Issue.record("\(value): \(stored), \(copied)")
      }
    }
  }

  @Test func `a converter reads a value as it reads a column`() throws {
    try expectSame(.int)
    try expectSame(.int8)
    try expectSame(.uint64)
    try expectSame(.uint64BitPattern)
    try expectSame(.bool)
    try expectSame(.float)
    try expectSame(.double)
    try expectSame(.string)
    try expectSame(.bytes)
    try expectSame(.value)
    try expectSame(.optional(.int))
    try expectSame(.optional(.string))
    try expectSame(ColumnValueConverter { row, index in row.columnNames[index] })
  }

  @Test func `a copied row is read by index and by name`() throws {
    let connection = try Connection()
    let row = try #require(
      try connection.first(
        .values, #"SELECT 1 AS a, '2' AS "B", NULL AS "say ""so""", 4 AS a, x'05' AS "ä""#))
    #expect(try row.get(.int, at: 0) == 1 && row.get(.int, named: "a") == 1)
    #expect(try row.get(.int, named: "b") == 2 && row.get(.string, at: 1) == "2")
    #expect(try row.get(.optional(.int), named: "say \"so\"") == nil)
    #expect(try row.get(.int, at: 3) == 4)
    #expect(try row.get(.bytes, named: "ä") == [5])
    #expect(failure { try row.get(.int, at: 5) }?.code == .range)
    #expect(failure { try row.get(.int, at: -1) }?.code == .range)
    #expect(failure { try row.get(.int, named: "c") }?.code == .range)
    let error = #expect(throws: SQLiteError.self) { try row.get(.int, named: "ä") }
    #expect(error?.code == .mismatch && error?.message.contains("ä") == true && error?.sql == nil)
    let stored = failure {
      try connection.first(.column(.int, at: 4), "SELECT 1, '2', NULL, 4, x'05' AS \"ä\"")
    }
    #expect(error?.message == stored?.message)
    // An error of another statement keeps its SQL.
    let other = ColumnValueConverter<Int> { _, _ in
      try Connection().execute("SELECT missing")
      return 1
    }
    #expect(failure { try row.get(other, at: 0) }?.sql == "SELECT missing")
  }

  @Test func `a row converter reads a copied row`() throws {
    let connection = try Connection()
    let row = try #require(try connection.first(.values, "SELECT 1 AS a, 'x' AS b, 2.5 AS a"))
    let converted = try row.converted(.columns(.int, .string, .double))
    #expect(converted == (1, "x", 2.5))
    #expect(try row.converted(.column(.string, named: "B")) == "x")
    #expect(try row.converted(.values) == row)
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try row.converted(RowConverter<Int> { _ in throw Failure() })
    }
    // The connection of the failed call can be used again.
    #expect(try row.get(.int, at: 0) == 1)
  }

  @Test func `a converter can read other values`() throws {
    let outer = ColumnValueConverter<Int> { row, index in
      try row.get(.int, at: index) + DatabaseValue.text("5").get(.int)
    }
    #expect(try DatabaseValue.integer(1).get(outer) == 6)
  }

  @Test func `values are read on any thread`() throws {
    let sum = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<200 {
        let value = try? DatabaseValue.integer(Int64(thread * 1_000 + number)).get(.int)
        sum.withLock { $0 += value ?? -1_000_000 }
      }
    }
    let total = sum.withLock(\.self)
    #expect(total == 5_759_200)
  }

  @Test func `a function reads its arguments by converters`() throws {
    let connection = try Connection()
    let list = ColumnValueConverter<[Substring]> { row, index in
      try row.text(at: index).split(separator: ",")
    }
    try connection.addFunction("longest", arity: 2) { values in
      let words = try values.get(list, at: 0)
      return .text(words.map(String.init).max { $0.count < $1.count } ?? "")
    }
    #expect(try connection.first(.column(.string), "SELECT longest('a,bcd,ef', 1)") == "bcd")
    #expect(failure { try connection.execute("SELECT longest(NULL, 1)") }?.code == .mismatch)
    try connection.addFunction("outside", arity: 0) { values in
      .integer(try values.get(.int64, at: 0))
    }
    #expect(failure { try connection.execute("SELECT outside()") }?.code == .range)
  }

  @Test func `a parameter becomes the value that it binds`() throws {
    #expect(try DatabaseValue(.int(5)) == 5 && DatabaseValue(.string(nil)) == .null)
    #expect(try DatabaseValue(.bytes([1])) == .blob([1]))
    #expect(try DatabaseValue(.zeroBlob(count: 3)) == .blob([0, 0, 0]))
    #expect(try DatabaseValue(.zeroBlob(count: 0)) == .blob([]))
    #expect(failure { try DatabaseValue(.uint64(.max)) }?.code == .range)
    #expect(failure { try DatabaseValue(.zeroBlob(count: -1)) }?.code == .range)
    #expect(failure { try DatabaseValue(.zeroBlob(count: .max)) }?.code == .tooBig)
    #expect(failure { try DatabaseValue(.object("x")) }?.code == .misuse)
    #expect(failure { try DatabaseValue(.array([1, 2])) }?.code == .misuse)
  }
}
