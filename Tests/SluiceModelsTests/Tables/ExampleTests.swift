import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `property types without examples` {
  /// An enumeration that conforms to neither `CaseIterable` nor `ModelExamples`.
  enum Kind: String, Codable { case small, large }

  struct Parcel: Codable, Model, Equatable {
    static let table = ModelTable("parcel", key: \Parcel.id, .column("kind", \.kind, .text))
    var id: Int64?
    var kind: Kind?
    var all: [Kind] = []
    var byName: [String: Kind]?
  }

  @Test func `an optional or nested property whose type has no examples is stored like any other`()
    throws
  {
    let db = try Connection.with(Parcel.self)
    #expect(
      try db.tableSQL(of: Parcel.self)[0]
        == #"CREATE TABLE "parcel"("id" INTEGER PRIMARY KEY, "kind" TEXT, "all" TEXT NOT NULL, "byName" TEXT)"#
    )
    let parcel = try db.insert(Parcel(kind: .large, all: [.small, .large], byName: ["a": .small]))
    try db.insert(Parcel())
    #expect(try db.fetch(Parcel.where(\.kind == .large)) == [parcel])
    #expect(try db.fetch(Parcel.where(\.byName == nil)).map(\.id) == [2])
    // A comparison would need two different example lists.
    let message = try #require(failure { try db.fetch(Parcel.where(\.all == [])) }).message
    #expect(message.contains("without two different examples"))
  }

  @Test
  func `querying an unnamed optional property throws an error that suggests naming its column`()
    throws
  {
    struct Bare: Codable, Model {
      static let table = ModelTable("bare", key: \Bare.id)
      var id: Int64?
      var kind: Kind?
    }
    let db = try Connection()
    let error = failure { try db.createTable(of: Bare.self) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains(#".column("kind", \.kind, .text)"#) == true)
    // An existing table can be used.
    try db.execute("CREATE TABLE bare(id INTEGER PRIMARY KEY, kind TEXT)")
    try db.insert(Bare(kind: .small))
    #expect(try db.fetch(Bare.all).map(\.kind) == [.small])
  }

  @Test func `a property without examples that is not optional requires listed columns`() throws {
    struct Closed: Codable, Model {
      static let table = ModelTable("closed", key: \Closed.id)
      var id: Int64?
      var kind: Kind
    }
    struct Listed: Codable, Model {
      static let table = ModelTable(
        "listed", key: \Listed.id,
        columns: .column("id", \.id, .integer), .column("kind", \.kind, .text, .default(Kind.large))
      )
      var id: Int64?
      var kind: Kind
    }
    let error = try #require(failure { try Closed.table.columnNames })
    #expect(error.message.contains("No example of Closed can be decoded: Kind is neither"))
    #expect(error.message.contains("(at .kind)"))
    #expect(error.message.contains("ModelTable(_:key:columns:)"))
    #expect(!error.message.contains("DecodingError"))
    let db = try Connection.with(Listed.self)
    #expect(try db.insert(Listed(kind: .small)).id == 1)
    #expect(try db.fetch(Listed.where(\.kind == .small)).map(\.kind) == [.small])
  }

  @Test func `an enumeration with one case needs a named column only for queries`()
    throws
  {
    enum Only: String, Codable, CaseIterable { case one }
    struct Single: Codable, Model {
      static let table = ModelTable("single", key: \Single.id)
      var id: Int64?
      var only: Only
      var maybe: Only?
    }
    let db = try Connection.with(Single.self)
    try db.insert(Single(only: .one))
    #expect(try db.fetch(Single.where(\.maybe == nil)).map(\.only) == [.one])
    #expect(failure { try db.fetch(Single.where(\.only == .one)) }?.code == .range)
  }

  @Test func `a property can be a double optional`() throws {
    struct Twice: Codable, Model, Equatable {
      static let table = ModelTable("twice", key: \Twice.id)
      var id: Int64?
      var number: Int??
      var kind: Kind??
    }
    let db = try Connection()
    // A property of a type with examples has a column without being named.
    #expect(
      failure { try db.tableSQL(of: Twice.self) }?.message.contains("\"kind\"") == true)
    try db.execute("CREATE TABLE twice(id INTEGER PRIMARY KEY, number INTEGER, kind TEXT)")
    let twice = try db.insert([Twice(number: 1, kind: .small), Twice(number: .some(nil))])
    #expect(try db.fetch(Twice.where(\.number == 1)) == [twice[0]])
    #expect(try db.fetch(Twice.where(\.number == nil)).map(\.number) == [Int??.none])
  }

  @Test func `a recursive class can be a property`() throws {
    final class Node: Codable, Sendable {
      let name: String
      let left: Node?
      let middle: Node?
      let right: Node?
      let others: [String: Node]
      init(_ name: String, _ left: Node? = nil) {
        (self.name, self.left) = (name, left)
        (middle, right, others) = (nil, nil, [:])
      }
    }
    struct Forest: Codable, Model {
      static let table = ModelTable("forest", key: \Forest.id)
      var id: Int64?
      var tree: Node
      var other: Node?
      var byName: [String: Node] = [:]
    }
    let db = try Connection.with(Forest.self)
    try db.insert(Forest(tree: Node("a", Node("b"))))
    #expect(try db.fetch(Forest.where(\.other == nil)).map(\.tree.left?.name) == ["b"])
    #expect(try db.fetch(Forest.where(\.byName == [:])).count == 1)
    #expect(try db.fetch(Forest.where(\.tree == Node("a"))).isEmpty)
  }

  @Test func `a DatabaseValue can be a property`() throws {
    struct Cell: Codable, Model, Equatable {
      static let table = ModelTable("cell", key: \Cell.id)
      var id: Int64?
      var value: DatabaseValue
      var other: DatabaseValue?
    }
    let db = try Connection.with(Cell.self)
    #expect(
      try db.tableSQL(of: Cell.self)[0]
        == #"CREATE TABLE "cell"("id" INTEGER PRIMARY KEY, "value" BLOB NOT NULL, "other" BLOB)"#)
    let values: [DatabaseValue] = ["12", 12, .real(1), .real(2.5), "x", .blob([1]), "1e3", ""]
    let cells = try db.insert(values.map { Cell(value: $0, other: $0) })
    #expect(try db.fetch(Cell.all) == cells)
    #expect(try db.fetch(Cell.where(\.value == "12")) == [cells[0]])
    #expect(try db.fetch(Cell.where(\.other == 12)) == [cells[1]])
  }
}
