// Declarations that closures of a queue or pool use. A type that conforms to a protocol of Sluice is nonisolated by itself.
import Sluice
import SluiceModels

nonisolated struct Person: Codable, Equatable {
  var name: String
  var age: Int?
}

nonisolated enum Priority: Int, Codable { case low, high }

struct Note: Codable, Equatable, Model {
  static let table = ModelTable("note", key: \Note.id, .index(\.title))
  var id: Int64?
  var title: String
  var priority = Priority.low
}

struct Color: SQLValue {
  var code: String
  init(_ code: String) { self.code = code }
  init?(databaseValue: DatabaseValue) {
    guard case .text(let code) = databaseValue else { return nil }
    self.code = code
  }
  var databaseValue: DatabaseValue { .text(code) }
}

nonisolated func initial(of name: String) -> String { String(name.prefix(1)) }

final class Longest: SQLAggregateFunction {
  private var longest = ""
  func step(_ values: borrowing SQLFunctionArguments) throws {
    let value: String = try values.get(at: 0)
    if value.count > longest.count { longest = value }
  }
  func final() throws -> DatabaseValue { .text(longest) }
}

nonisolated extension RowConverter where Value == String {
  static var titled: RowConverter { RowConverter { row in try row.get(.string, named: "title") } }
}

final class CommitCounter: TransactionObserver {
  func databaseDidCommit(_ connection: Connection) { print("A transaction is committed.") }
}

struct Letters: FTS5Tokenizer {
  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws {
    for index in text.indices {
      try tokens.add(utf8: text.extracting(index..<index + 1), at: index..<index + 1)
    }
  }
}
