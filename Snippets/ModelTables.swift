// Table definitions of models.

// snippet.hide
import Foundation
import SluiceModels
import Synchronization

// snippet.show
enum Kind: String, Codable, CaseIterable { case book, record }

struct Work: Codable, Model {
  static let table = ModelTable(
    "work", key: \Work.id, .strict,
    .column(\.title, .unique, .collate("NOCASE")),
    .column(\.price, .check(sql: "price >= 0"), .default(0)),
    .column(\.author, .references(Author.self, onDelete: .cascade)),
    .column(\.gross, .generated(sql: "price * 1.19")),
    .column(\.added, .date(as: .timeIntervalSince1970)),
    .index(\.author, \.title),
    .index(\.price, named: "expensive works", where: "price > 100"))

  var id: UUID
  var title: String
  var kind: Kind
  var price: Double
  var author: Int64?
  var tags: [String]  // JSON
  var added: Date  // seconds since 1970, whatever the strategy of the connection
  private(set) var gross: Double?  // computed by SQLite, never written
  var isSelected = false  // not stored, because it has no coding key

  enum CodingKeys: CodingKey {
    case id, title, kind, price, author, tags, added, gross
  }
}

struct Author: Codable, Model {
  static let table = ModelTable("author", key: \Author.id)
  var id: Int64?
  var name: String
}

// A composite primary key.
struct Loan: Codable, Model {
  static let table = ModelTable(
    "loan", key: \Loan.work, and: \.day, .withoutRowid,
    .column(\.work, .references(Work.self, onDelete: .restrict)))
  var work: UUID
  var day: String
  var reader: String
}

struct Address: Codable {
  var street: String
  var city: String
}

struct Customer: Codable, Model {
  static let table = ModelTable(
    "customer", key: \Customer.id, .columns(\.home),
    .columns(\.work, prefix: "office_"),
    .index(\.home.city))
  var id: Int64?
  var home: Address  // the columns home_street and home_city
  var work: Address?  // the columns office_street and office_city, which allow NULL
}

// Cases with associated values cannot be CaseIterable, so the enumeration provides two examples.
enum Shelf: Codable, ModelExamples {
  case lost
  case room(Int)
  static let modelExamples = (Shelf.lost, Shelf.room(1))
}

// The table declares the column of a property that has observers.
struct Copy: Codable, Model {
  static let table = ModelTable(
    "copy", key: \Copy.id, .column("state", \.state, .text))
  var id: Int64?
  var shelf: Shelf
  var state = "new" { didSet { changes += 1 } }
  private(set) var changes = 0  // not stored

  enum CodingKeys: CodingKey { case id, shelf, state }
}

// A generic type cannot have a static let. Its tables are cached, because creating one takes time.
struct Versioned<Content: Codable & Sendable>: Codable, Model {
  static var table: ModelTable<Self, Int64> {
    Tables.all.withLock { tables in
      if let table = tables[ObjectIdentifier(Self.self)] as? ModelTable<Self, Int64> {
        return table
      }
      let table = ModelTable("\(Content.self) versions", key: \Self.id)
      tables[ObjectIdentifier(Self.self)] = table
      return table
    }
  }
  var id: Int64?
  var content: Content
}

enum Tables {
  static let all = Mutex<[ObjectIdentifier: any Sendable]>([:])
}
// snippet.hide
let connection = try Connection()
try connection.createTable(of: Author.self)
try connection.createTable(of: Work.self)
try connection.createTable(of: Loan.self)
try connection.insert(Author(name: "Ada"))
let id = UUID()
try connection.insert(
  Work(id: id, title: "Notes", kind: .book, price: 100, author: 1, tags: ["x"], added: .now))
// snippet.show
let loan = Loan(work: id, day: "2026-11-21", reader: "Eve")
try connection.insert(loan)
let found = try connection.fetch(Loan.self, key: (id, "2026-11-21"))
// snippet.hide
try connection.createTable(of: Customer.self)
// snippet.show
try connection.insert(
  Customer(home: Address(street: "Dorset Street", city: "London")))
let inLondon = try connection.fetch(Customer.where(\.home.city == "London"))
try connection.update(Customer.all, .set(\.home.street, to: "Baker Street"))
// snippet.hide
guard inLondon.map(\.home.street) == ["Dorset Street"], inLondon[0].work == nil,
  try connection.fetch(Customer.where(\.work?.city == nil)).map(\.home.street)
    == ["Baker Street"]
else { fatalError() }
try connection.createTable(of: Copy.self)
var copy = try connection.insert(Copy(shelf: .room(2)))
copy.state = "old"
try connection.update(copy, \.state, \.shelf)
guard try connection.count(Copy.where(\.state == "old" && \.shelf == .room(2))) == 1 else {
  fatalError()
}
try connection.createTable(of: Versioned<String>.self)
try connection.createTable(of: Versioned<[Int]>.self)
try connection.insert(Versioned(content: "x"))
try connection.insert(Versioned(content: [1]))
guard try connection.fetch(Versioned<[Int]>.where(\.content == [1])).count == 1,
  try connection.fetch(Versioned<String>.all).map(\.content) == ["x"]
else { fatalError() }
let work = try connection.fetch(Work.self, key: id)
guard found?.reader == "Eve", work?.gross == 119, work?.tags == ["x"] else { fatalError() }
