import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `values that SQLite orders differently` {
  struct Price: Codable, Model, Equatable {
    static let table = ModelTable("price", key: \Price.id, .column(\.rounded, .type(.real)))
    var id: Int64?
    var amount: Decimal
    var old: Decimal?
    var rounded: Decimal
    var tags: Set<String>?

    init(_ amount: Decimal, tags: Set<String>? = nil) {
      (self.amount, rounded, self.tags) = (amount, amount, tags)
    }
  }

  private let db: Connection

  init() throws {
    db = try Connection.with(Price.self)
    try db.insert([Price(9), Price(10), Price(100), Price(-5, tags: ["a"])])
  }

  @Test func `a Decimal property that is stored as text can only be tested for equality`() throws {
    let queries = [
      Price.where(\.amount < 9), Price.where(\.amount <= 9), Price.where(\.amount > 9),
      Price.where(\.old >= 9), Price.where(.between(\.amount, 1...9)),
      Price.where(.between(\.old, 1...9)), Price.where(.column("amount", .less, 9)),
      Price.order(by: \.amount), Price.order(by: .descending(column: "old")),
    ]
    for query in queries {
      let error = failure { try db.fetch(query) }
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("is stored as text") == true)
    }
    let ten = try #require(Decimal(string: "10.0"))
    #expect(try db.fetch(Price.where(\.amount == ten)).map(\.amount) == [10])
    #expect(try db.count(Price.where(\.amount != 10 && .in(\.amount, [9, 10]))) == 1)
    #expect(try db.count(Price.where(.column("amount", .equal, "10")).where(\.old == nil)) == 1)
  }

  @Test func `a Decimal property that is stored as a number is ordered numerically`() throws {
    #expect(try db.fetch(Price.order(by: \.rounded)).map(\.rounded) == [-5, 9, 10, 100])
    #expect(try db.count(Price.where(\.rounded > 9.5 && .between(\.rounded, 2...50))) == 1)
  }

  @Test func `a Set property can only be compared with nil`() throws {
    let conditions: [Condition<Price>] = [
      \.tags == ["a"], \.tags != ["a"], .in(\.tags, [["a"]]), .column("tags", .equal, Set(["a"])),
    ]
    for condition in conditions {
      #expect(failure { try db.fetch(Price.where(condition)) }?.code == .misuse)
    }
    #expect(try db.fetch(Price.where(\.tags != nil)).map(\.tags) == [["a"]])
    #expect(try db.count(Price.where(\.tags == nil)) == 3)
  }
}
