import SluiceModels
import TestSupport
import Testing

/// A struct with two unique properties.
private struct Page: Codable, Model, Equatable {
  static let table = ModelTable(
    "page", key: \Page.id, .column(\.slug, .unique), .column(\.link, .unique),
    .column(\.title, .notNull, .default("untitled")))
  var id: Int64?
  var slug: String
  var link: String
  var title: String? = "title"
  var version = 1
}

/// A struct whose key the program assigns.
private struct Code: Codable, Model, Equatable {
  static let table = ModelTable("code", key: \Code.code, .column(\.name, .unique))
  var code: String
  var name: String
  var count = 0
}

@Suite(.tags(.models)) struct `conflict policies` {
  private let db: Connection

  init() throws {
    db = try Connection.with(Page.self, Code.self)
    try db.insert([Page(slug: "a", link: "x"), Page(slug: "b", link: "y")])
  }

  private func pages() throws -> [Page] { try db.fetch(Page.order(by: \.id)) }
  private let conflicting = Page(slug: "a", link: "y", version: 2)

  @Test func `replace deletes all rows that conflict`() throws {
    let page = try db.insert(conflicting, or: .replace)
    #expect(page.id == 3)
    #expect(try pages() == [page])
    let third = try db.insert(Page(id: 3, slug: "c", link: "z"), or: .replace)
    #expect(try pages() == [third])
    #expect(
      try db.insert(Page(slug: "c", link: "u"), or: .replace, returning: \.slug) == "c")
    #expect(try pages().map(\.link) == ["u"])
  }

  @Test func `replace stores the default for NULL`() throws {
    let page = try db.insert(
      Page(slug: "c", link: "z", title: nil), or: .replace, returning: .model(Page.self))
    #expect(page.title == "untitled")
    #expect(
      failure {
        try db.insert(Page(slug: "d", link: "w", title: nil))
      }?.code == .constraintNotNull)
  }

  @Test func `an array of values replaces rows, or none`() throws {
    let new = try db.insert(
      [Page(slug: "a", link: "1"), Page(slug: "b", link: "2"), Page(slug: "a", link: "3")],
      or: .replace)
    #expect(new.map(\.id) == [3, 4, 5])
    #expect(try pages().map(\.link) == ["2", "3"])
    let links = try db.insert(
      [Page(slug: "b", link: "4")], or: .replace, returning: .column(.string, named: "link"))
    #expect(links == ["4"])
    #expect(throws: EncodingError.self) {
      struct Bad: Codable, Model {
        static let table = ModelTable("code", key: \Bad.code)
        var code: String
        var name: String
        var count: Double
      }
      try db.insert(
        [Bad(code: "x", name: "y", count: 1), Bad(code: "z", name: "u", count: .nan)],
        or: .replace)
    }
    #expect(try db.count(Code.all) == 0)
  }

  @Test(arguments: [ConflictPolicy.abort, .fail, .rollback])
  func `other policies throw the violated constraint`(_ policy: ConflictPolicy) throws {
    #expect(failure { try db.insert(conflicting, or: policy) }?.code == .constraintUnique)
    #expect(
      failure {
        try db.insert(conflicting, or: policy, returning: .model(Page.self))
      }?.code == .constraintUnique)
    #expect(
      failure {
        try db.insert(Page(id: 1, slug: "c", link: "z"), or: policy)
      }?.code == .constraintPrimaryKey)
    #expect(try pages().count == 2)
  }

  @Test func `rollback ends the transaction, and abort does not`() throws {
    try db.begin()
    try db.insert(Page(slug: "c", link: "z"))
    #expect(failure { try db.insert(conflicting) }?.code == .constraintUnique)
    #expect(!db.isInAutocommit)
    #expect(failure { try db.insert(conflicting, or: .rollback) }?.code == .constraintUnique)
    #expect(db.isInAutocommit)
    #expect(try pages().count == 2)
  }

  @Test func `an update replaces the rows that conflict with its row`() throws {
    var page = try #require(try pages().first)
    page.link = "y"
    #expect(failure { try db.update(page) }?.code == .constraintUnique)
    #expect(try db.update(page, or: .replace) == 1)
    #expect(try pages() == [page])
    try db.insert(Page(slug: "b", link: "z"))
    #expect(try db.update([page], or: .replace) == 1)
    #expect(try db.update(Page.self, key: 1, .set(\.slug, to: "b"), or: .replace) == 1)
    #expect(try pages().map(\.slug) == ["b"])
    #expect(
      failure {
        try db.update(Page.self, key: 7, .set(\.slug, to: "b"), or: .replace)
      }?.code == .notFound)
  }

  @Test func `fail keeps the rows that a statement has changed, and abort does not`() throws {
    let changed = { try db.count(Page.where(\.version == 5)) }
    let query = Page.order(by: \.id)
    #expect(
      failure {
        try db.update(query, .set(\.version, to: 5), .set(\.slug, to: "same"))
      }?.code == .constraintUnique)
    #expect(try changed() == 0)
    #expect(
      failure {
        try db.update(query, .set(\.version, to: 5), .set(\.slug, to: "same"), or: .fail)
      }?.code == .constraintUnique)
    #expect(try changed() == 1)
    #expect(try db.update(query, .set(\.slug, to: "same"), or: .replace) == 2)
    #expect(try pages().count == 1)
  }
}

@Suite(.tags(.models)) struct `upserts with other conflicts` {
  private let db: Connection

  init() throws {
    db = try Connection.with(Page.self, Code.self)
    try db.insert([Page(slug: "a", link: "x"), Page(slug: "b", link: "y")])
    try db.insert(Code(code: "k", name: "n", count: 1))
  }

  private func pages() throws -> [Page] { try db.fetch(Page.order(by: \.id)) }

  @Test func `a conflict in any unique column updates the row, which keeps its key`() throws {
    #expect(try db.upsert(Page(slug: "a", link: "z", version: 2), .onAnyConflict).id == 1)
    #expect(try db.upsert(Page(slug: "c", link: "y", version: 3), .onAnyConflict).id == 2)
    #expect(try db.upsert(Page(id: 2, slug: "d", link: "u"), .onAnyConflict).id == 2)
    #expect(try db.upsert(Page(slug: "e", link: "v"), .onAnyConflict).id == 3)
    #expect(
      try pages() == [
        Page(id: 1, slug: "a", link: "z", version: 2), Page(id: 2, slug: "d", link: "u"),
        Page(id: 3, slug: "e", link: "v"),
      ])
    // The stored row has another key than the value.
    let code = try db.upsert(Code(code: "other", name: "n", count: 2), .onAnyConflict)
    #expect(code == Code(code: "k", name: "n", count: 2))
    #expect(try db.fetch(Code.all) == [code])
  }

  @Test func `without the rule, only a conflict of the key is resolved`() throws {
    #expect(failure { try db.upsert(Page(slug: "a", link: "z")) }?.code == .constraintUnique)
    #expect(
      failure {
        try db.upsert(Page(slug: "a", link: "z"), .on(\.link))
      }?.code == .constraintUnique)
  }

  @Test func `several conflicts are resolved, in the order of the rules`() throws {
    // Each rule keeps the column of its own conflict, and writes those of the others.
    #expect(try db.upsert(Page(slug: "a", link: "z"), .on(\.slug), .on(\.link)).id == 1)
    #expect(try db.upsert(Page(slug: "q", link: "y"), .on(\.slug), .on(\.link)).id == 2)
    #expect(try pages().map(\.slug) == ["a", "q"])
    #expect(try pages().map(\.link) == ["z", "y"])
    #expect(
      try db.upsert(
        Page(id: 1, slug: "w", link: "w"), .onAnyConflict, .on(\.slug), .keep(\.link)
      ).id == 1)
    #expect(try pages().first == Page(id: 1, slug: "w", link: "z"))
  }

  @Test func `a row whose condition is false remains, and the result is nil`() throws {
    let old = try pages()
    let condition: SQL = "excluded.version > page.version"
    #expect(
      try db.upsert(Page(id: 1, slug: "a", link: "old", version: 1), where: condition) == nil)
    #expect(try db.upsert(Page(slug: "a", link: "old"), .on(\.slug), where: condition) == nil)
    #expect(try db.upsert(Page(slug: "a", link: "old"), .onAnyConflict, where: condition) == nil)
    #expect(try pages() == old)
    let newer = Page(slug: "a", link: "new", version: 2)
    #expect(try db.upsert(newer, .on(\.slug), where: condition)?.id == 1)
    #expect(try db.upsert(Page(slug: "c", link: "z"), .on(\.slug), where: condition)?.id == 3)
    #expect(try pages().map(\.link) == ["new", "y", "z"])
    #expect(try pages()[1] == old[1])
    // Even if there is nothing to write, the condition decides.
    let code = Code(code: "k", name: "n", count: 9)
    let kept: UpsertRule<Code> = .keep(\.name, \.count)
    #expect(try db.upsert(code, kept, where: "code.count = \(9)") == nil)
    #expect(try db.upsert(code, kept, where: "code.count = \(1)") == code)
    #expect(try db.fetch(Code.all).map(\.count) == [1])
    #expect(try db.upsert(Code(code: "o", name: "n"), .on(\.name), where: "0") == nil)
  }

  @Test func `arrays of updates and upserts return their rows, or change nothing`() throws {
    var all = try pages()
    for index in all.indices { all[index].version += 10 }
    #expect(
      try db.update(all, returning: .column(.int, named: "version")) == [11, 11])
    let stored = try db.upsert(
      [Page(slug: "a", link: "1"), Page(slug: "n", link: "2")], .on(\.slug),
      returning: .model(Page.self))
    #expect(stored.map(\.id) == [1, 3] && stored.map(\.link) == ["1", "2"])
    let before = try pages()
    #expect(
      failure {
        try db.update(
          [Page(id: 1, slug: "z", link: "z"), Page(id: 99, slug: "y", link: "w")],
          returning: .model(Page.self))
      }?.code == .notFound)
    #expect(
      failure {
        try db.upsert(
          [Page(slug: "p", link: "p"), Page(slug: "q", link: "2")], .on(\.slug),
          returning: .model(Page.self))
      }?.code == .constraintUnique)
    #expect(try pages() == before)
  }

  @Test func `the key of the row is returned as it is stored`() throws {
    struct Word: Codable, Model, Equatable {
      static let table = ModelTable("word", key: \Word.text)
      var text: String
      var count: Int
    }
    try db.execute(
      "CREATE TABLE word(text TEXT PRIMARY KEY COLLATE NOCASE, count INTEGER NOT NULL)")
    try db.insert(Word(text: "y", count: 1))
    let stored = try db.upsert(Word(text: "Y", count: 2), .onAnyConflict)
    #expect(try stored == Word(text: "y", count: 2) && db.fetch(Word.all) == [stored])
  }

  @Test func `a model with an enumeration of which SQLite cannot store a case is queried`() throws {
    enum Size: UInt64, Codable, SQLValue, CaseIterable {
      case small = 1
      case big = 0xffff_ffff_ffff_ffff
    }
    struct Box: Codable, Model, Equatable {
      static let table = ModelTable("box", key: \Box.id)
      var id: Int64?
      var size: Size
    }
    try db.createTable(of: Box.self)
    let box = try db.insert(Box(size: .small))
    #expect(try db.fetch(Box.where(\.size == .small)) == [box])
    #expect(throws: (any Error).self) { try db.insert(Box(size: .big)) }
  }
}
