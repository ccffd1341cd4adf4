import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `model tables` {
  @Test func `a plain struct needs only a table name and a key to be a model`() throws {
    let db = try Connection()
    #expect(
      try db.tableSQL(of: Person.self) == [
        #"CREATE TABLE "person"("id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL, "age" INTEGER)"#
      ])
    #expect(try !db.hasTable(of: Person.self))
    try db.createTable(of: Person.self)
    #expect(try db.hasTable(of: Person.self))
    #expect(try Person.table.columnNames == ["id", "name", "age"])
    #expect(try Person.table.keyNames == ["id"])
  }

  @Test func `the types of columns match the stored values`() throws {
    let db = try Connection.with(Sample.self)
    #expect(
      try db.strings(
        "SELECT name || ' ' || type || ' ' || \"notnull\" FROM pragma_table_info('sample')")
        == [
          "id TEXT 1", "int INTEGER 1", "byte INTEGER 1", "double REAL 1", "float REAL 1",
          "text TEXT 1", "data BLOB 1", "isOn INTEGER 1", "date TEXT 1", "url TEXT 1",
          "color TEXT 1", "level INTEGER 1", "shape TEXT 1", "points TEXT 1", "point TEXT 0",
          "tags TEXT 1", "missing BLOB 0", "isMaybe INTEGER 0",
        ])
  }

  @Test func `a table can use every option and names that need quoting`() throws {
    let db = try Connection.with(Person.self, Entry.self)
    let sql = try db.tableSQL(of: Entry.self)
    #expect(
      sql[0] == #"""
        CREATE TABLE "a ""b"" c"("order" INTEGER NOT NULL, \#
        "person" INTEGER REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE SET NULL, \#
        "text" TEXT NOT NULL UNIQUE COLLATE "NOCASE" CHECK (length(text) < 100), \#
        "amount" REAL NOT NULL DEFAULT (2.5) CHECK (amount > 0), \#
        "twice" REAL AS (amount * 2) STORED, "group" TEXT NOT NULL, \#
        "note" TEXT DEFAULT (CAST(x'697427732000206e6577' AS TEXT)), \#
        PRIMARY KEY("order", "group"), UNIQUE("group", "text"), CHECK ("group" <> '13')) \#
        STRICT, WITHOUT ROWID
        """#)
    #expect(
      Array(sql.dropFirst()) == [
        #"CREATE INDEX "a ""b"" c_person_amount" ON "a ""b"" c"("person", "amount") WHERE amount > 10"#,
        #"CREATE UNIQUE INDEX "the amount" ON "a ""b"" c"("amount")"#,
        #"CREATE INDEX "by lower" ON "a ""b"" c"(lower(text))"#,
      ])
  }

  @Test func `creating an existing table or dropping a missing one throws unless this is allowed`()
    throws
  {
    let db = try Connection.with(Person.self, Sample.self)
    #expect(failure { try db.createTable(of: Person.self) }?.code == .error)
    try db.createTable(of: Person.self, ifNotExists: true)
    try db.dropTable(of: Person.self)
    #expect(try !db.hasTable(of: Person.self))
    #expect(failure { try db.dropTable(of: Person.self) }?.code == .error)
    try db.dropTable(of: Person.self, ifExists: true)
  }

  @Test func `creating a table is undone if one of its indexes fails`() throws {
    struct Broken: Codable, Model {
      static let table = ModelTable(
        "broken", key: \Broken.id, .index(\.id), .index(sql: "nothing", named: "x"))
      var id: Int
    }
    let db = try Connection()
    #expect(failure { try db.createTable(of: Broken.self) }?.code == .error)
    #expect(try !db.hasTable(of: Broken.self))
  }

  @Test func `queries and indexes reject a property without a column`() throws {
    struct Odd: Codable, Model {
      static let table = ModelTable("odd", key: \Odd.id)
      static let indexed = ModelTable("odd", key: \Odd.id, .index(\.mark))
      var id: Int
      var name: String
      var other = Inner(name: "")
      var mark = "x"
      var upper: String { name.uppercased() }
      var same: String { name }

      enum CodingKeys: CodingKey { case id, name, other }
      struct Inner: Codable { var name: String }
    }
    let db = try Connection.with(Odd.self)
    for query in [
      Odd.where(\.mark == "x"), Odd.where(\.upper == "X"), Odd.where(\.same == "x"),
      Odd.where(\.other.name == "x"), Odd.order(by: \.mark),
    ] {
      let error = failure { try db.fetch(query) }
      #expect(error?.code == .range)
      #expect(error?.message.contains(#"must be declared: .column("name", \.name, .text)"#) == true)
    }
    #expect(try db.fetch(Odd.where(\.name == "x")).isEmpty)
    #expect(failure { try Odd.indexed.columnNames }?.code == .range)
  }

  @Test func `a class can be a model`() throws {
    final class Tag: Codable, Model {
      static let table = ModelTable("tag", key: \Tag.name)
      let name: String
      let weight: Int?
      let kind = "tag"  // encoded, but not decoded

      init(_ name: String, weight: Int?) { (self.name, self.weight) = (name, weight) }

      private enum CodingKeys: CodingKey { case name, weight, kind }
    }
    let db = try Connection.with(Tag.self)
    try db.insert([Tag("a", weight: 1), Tag("b", weight: nil)])
    #expect(try db.fetch(Tag.where(\.weight == nil)).map(\.name) == ["b"])
    #expect(try db.fetch(Tag.self, key: "a")?.weight == 1)
    #expect(try db.strings("SELECT DISTINCT kind FROM tag") == ["tag"])
  }

  @Test func `the error for a type without examples names the type`() throws {
    struct Closed: Codable, Model {
      enum Kind: String, Codable { case only }
      static let table = ModelTable("closed", key: \Closed.id)
      var id: Int
      var kind: Kind
    }
    let db = try Connection()
    let error = failure { try db.createTable(of: Closed.self) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("Kind is neither CaseIterable nor ModelExamples") == true)
    #expect(failure { try db.fetch(Closed.all) }?.code == .misuse)
    #expect(failure { try db.insert(Closed(id: 1, kind: .only)) }?.code == .misuse)
  }

  @Test func `a key property that SQLite assigns must be a var`() throws {
    struct Constant: Codable, Model {
      static let table = ModelTable("constant", key: \Constant.id)
      let id: Int64?
    }
    let db = try Connection()
    #expect(failure { try db.createTable(of: Constant.self) }?.code == .misuse)
  }

  @Test func `tables can refer to each other and to themselves`() throws {
    struct Node: Codable, Model {
      static let table = ModelTable(
        "node", key: \Node.id, .column(\.parent, .references(Node.self, onDelete: .setNull)),
        .column(\.leaf, .references(Leaf.self, onDelete: .setNull, isDeferred: true)))
      var id: Int64?
      var parent: Int64?
      var leaf: Int64?
    }
    struct Leaf: Codable, Model {
      static let table = ModelTable(
        "leaf", key: \Leaf.id, .column(\.node, .references(Node.self, onDelete: .restrict)))
      var id: Int64?
      var node: Int64
    }
    let db = try Connection.with(Node.self, Leaf.self)
    try db.transaction { db, _ in
      let node = try db.insert(Node(leaf: 1))
      try db.insert(Leaf(node: #require(node.id)))
    }
    #expect(failure { try db.delete(Node.self, key: 1) }?.code == .constraintTrigger)
    #expect(failure { try db.insert(Node(leaf: 99)) }?.code == .constraintForeignKey)
    let child = try db.insert(Node(parent: 1))
    try db.deleteAll(Leaf.self)
    #expect(try db.delete(Node.self, key: 1) == 1)
    #expect(try db.fetch(Node.self, key: child.id ?? 0)?.parent == nil)
  }

  @Test func `a foreign key can have two columns`() throws {
    struct Part: Codable, Model {
      static let table = ModelTable(
        "part", key: \Part.id,
        .foreignKey(\.order, \.line, references: Entry.self, onDelete: .cascade))
      var id: Int64?
      var order: Int
      var line: String
    }
    let db = try Connection.with(Person.self, Entry.self, Part.self)
    #expect(failure { try db.insert(Part(order: 1, line: "a")) }?.code == .constraintForeignKey)
    try db.insert(Entry(order: 1, line: "a", text: "x", amount: 1))
    try db.insert(Part(order: 1, line: "a"))
    try db.delete(Entry.self, key: (1, "a"))
    #expect(try db.count(Part.all) == 0)
  }

  @Test func `a key can be autoincremented or computed by a default`() throws {
    struct Counted: Codable, Model {
      static let table = ModelTable("counted", key: \Counted.id, .column(\.id, .autoincrement))
      var id: Int64?
      var name = ""
    }
    struct Tagged: Codable, Model {
      static let table = ModelTable(
        "tagged", key: \Tagged.id, .strict, .column(\.id, .default(sql: "'#' || hex('A')")))
      var id: String?
      var name = ""
    }
    let db = try Connection.with(Counted.self, Tagged.self)
    #expect(try db.insert(Counted()).id == 1)
    try db.deleteAll(Counted.self)
    #expect(try db.insert(Counted()).id == 2)
    #expect(try db.insert(Tagged()).id == "#41")
    #expect(failure { try db.insert(Tagged()) }?.code == .constraintPrimaryKey)
  }

  @Test func `a model that is not Codable declares its columns and reads and writes its rows`()
    throws
  {
    struct Plain: Model, Equatable {
      static let table = ModelTable(
        "plain", key: \Plain.id,
        columns: .column("the id", \.id, .integer), .column("name", \.name, .text, .unique),
        .column("age", \.age, .integer))
      var id: Int64?
      var name: String
      var age: Int?

      init(name: String, age: Int? = nil) { (self.name, self.age) = (name, age) }

      init(row: borrowing Row) throws {
        id = try row.get(.int64, named: "the id")
        name = try row.get(.string, named: "name")
        age = try row.optional(.int, named: "age")
      }

      func columnValues(for connection: Connection) -> ColumnValues {
        [
          "the id": .int64(id), "name": .string(name),
          "age": SQLParameter(age),
        ]
      }
    }
    let db = try Connection.with(Plain.self)
    #expect(
      try db.tableSQL(of: Plain.self)[0]
        == #"CREATE TABLE "plain"("the id" INTEGER PRIMARY KEY, "name" TEXT NOT NULL UNIQUE, "age" INTEGER)"#
    )
    let ada = try db.insert(Plain(name: "Ada", age: 36))
    try db.insert(Plain(name: "Eve"))
    #expect(ada.id == 1)
    #expect(try db.fetch(Plain.where(\.age >= 18 && .like(\.name, "A%"))) == [ada])
    try db.update(Plain.self, key: 1, .set(\.age, to: nil))
    #expect(
      try db.fetch(Plain.where(\.age == nil).order(by: \.name)).map(\.name) == ["Ada", "Eve"])
  }

  @Test func `a trailing comment in the SQL of a column, check or index has no effect`() throws {
    struct Noted: Codable, Model {
      static let table = ModelTable(
        "noted", key: \Noted.id, .check(sql: "size > 0 -- so"),
        .column(\.size, .check(sql: "size < 9 /* or"), .default(sql: "1 -- one")),
        .column(\.twice, .type(.integer), .generated(sql: "size * 2 -- twice", isStored: true)),
        .index(sql: "size -- it", named: "by size", where: "size > 1 -- some"),
        .index(\.twice, where: "size > 1 /* all"))
      var id: Int64?
      var size: Int
      var twice: Int?
    }
    let db = try Connection.with(Noted.self)
    #expect(try db.insert(Noted(size: 3)).id == 1)
    #expect(try db.fetch(Noted.self, key: 1)?.twice == 6)
    #expect(failure { try db.insert(Noted(size: 9)) }?.code == .constraintCheck)
    #expect(failure { try db.insert(Noted(size: 0)) }?.code == .constraintCheck)
    #expect(try db.strings("SELECT count(*) FROM sqlite_schema WHERE type = 'index'") == ["2"])
  }
}
