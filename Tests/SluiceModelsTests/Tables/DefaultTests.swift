import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `column defaults` {
  struct Point: Codable { var x: Int }
  enum Kind: String, Codable, CaseIterable { case small, large }

  struct Item: Codable, Model {
    @TaskLocal static var table = ModelTable("item", key: \Item.id)
    var id: Int64?
    var count: Int
    var small: UInt8
    var maybe: Int?
    var real: Double
    var text: String
    var isOn: Bool
    var kind: Kind
    var day: Date
    var mark: UUID
    var data: Data
    var point: Point
    var list: [Int]
    var any: DatabaseValue
  }

  /// Returns the error message for a table with this part.
  private func error(_ part: TablePart<Item>) throws -> String? {
    let db = try Connection()
    return try Item.$table.withValue(ModelTable("item", key: \Item.id, part)) {
      do {
        try db.createTable(of: Item.self)
        return nil
      } catch let error as SQLiteError {
        #expect(error.code == .misuse)
        return error.message
      }
    }
  }

  @Test func `creating a table throws if a column's type cannot represent the default`() throws {
    let refused: [(TablePart<Item>, String)] = [
      (.column(\.count, .default("x")), "'x'"), (.column(\.count, .default(2.5)), "2.5"),
      (.column(\.small, .default(300)), "300"), (.column(\.count, .default(nil as Int?)), "NULL"),
      (.column(\.maybe, .default("x")), "'x'"), (.column(\.real, .default("x")), "'x'"),
      (.column(\.isOn, .default(2)), "2"), (.column(\.kind, .default("huge")), "'huge'"),
      (.column(\.day, .default("today")), "'today'"), (.column(\.mark, .default("x")), "'x'"),
      (.column(\.point, .default(1)), "1"), (.column(\.list, .default("x")), "'x'"),
      (.column("extra", .integer, .default("x")), "'x'"),
      (.column("extra", .real, .default("x")), "'x'"),
      (.column("extra", .blob, .default("x")), "'x'"),
      (.column("extra", .text, .default(Data([1]))), "x'01'"),
      (.column("extra", .integer, .notNull, .default(nil as Int?)), "NULL"),
    ]
    for (part, value) in refused {
      let message = try error(part)
      #expect(message?.hasSuffix("and its default is \(value)") == true, "\(message ?? value)")
    }
  }

  @Test func `creating a table succeeds if each column's type can represent the default`() throws {
    let taken: [TablePart<Item>] = [
      .column(\.count, .default(7)), .column(\.small, .default(255)),
      .column(\.maybe, .default(nil as Int?)), .column(\.real, .default(2)),
      .column(\.isOn, .default(true)), .column(\.kind, .default(Kind.large)),
      .column(\.kind, .default("large")), .column(\.day, .default("2001-01-01")),
      .column(\.day, .default(Date(timeIntervalSince1970: 0))),
      .column(\.mark, .default(UUID())), .column(\.data, .default(Data([1]))),
      .column(\.point, .default(Point(x: 1))), .column(\.list, .default([1])),
      .column(\.any, .default("x")), .column(\.any, .default(1)),
      .column(\.count, .default(sql: "abs(-1)")), .column("extra", .integer, .default("12")),
      .column("extra", .text, .default(12)), .column("extra", .any, .default(Data([1]))),
      .column("extra", .real, .default(1)),
    ]
    for part in taken { #expect(try error(part) == nil) }
  }

  @Test func `a migration rejects an invalid default`() throws {
    struct Late: Codable, Model {
      static let table = ModelTable("late", key: \Late.id, .column(\.age, .default("x")))
      var id: Int64?
      var age: Int
    }
    let db = try Connection()
    try db.execute("CREATE TABLE late(id INTEGER PRIMARY KEY); INSERT INTO late VALUES (1)")
    #expect(failure { try db.migrate(Late.self, to: 1) }?.code == .misuse)
    #expect(
      try db.strings("SELECT sql FROM sqlite_schema") == [
        "CREATE TABLE late(id INTEGER PRIMARY KEY)"
      ])
  }
}
