import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models), .enabled(if: SQLiteLibrary.has(.fts5))) struct `full-text queries of models`
{
  private struct Note: Codable, Model, Equatable {
    static let table = ModelTable("note", key: \Note.id)
    var id: Int64?
    var text: String
  }

  private struct NamedNote: Codable, Model {
    static let table = ModelTable("named", key: \NamedNote.name)
    var name: String
  }

  private struct MarkedNote: Codable, Model {
    static let table = ModelTable("marked", key: \MarkedNote.id)
    var id = UUID()
  }

  private enum Name: String, Codable, CaseIterable { case one, two }
  private enum Number: Int, Codable, CaseIterable {
    case one = 1
    case two
  }

  private struct ListedNote: Codable, Model {
    static let table = ModelTable("listed", key: \ListedNote.name)
    var name: Name
  }

  private struct NumberedNote: Codable, Model {
    static let table = ModelTable("numbered", key: \NumberedNote.number)
    var number: Number
  }

  private let db: Connection
  private let pattern = FTS5Pattern.allWords("milk")

  init() throws {
    db = try Connection.with(Note.self, NamedNote.self, MarkedNote.self)
    try db.createTable(of: ListedNote.self)
    try db.createTable(of: NumberedNote.self)
    try db.createFullTextIndex("note_index", on: "note", columns: ["text"])
    try db.insert([
      Note(text: "Buy milk and bread"), Note(text: "Sleep"), Note(text: "Milk, milk"),
      Note(text: "Milk"),
    ])
  }

  @Test func `notes are found in the order of relevance, and others come last`() throws {
    let order = Ordering<Note>.relevance(of: pattern, in: "note_index")
    let found = try db.fetch(Note.where(.matches(pattern, in: "note_index")).order(by: order))
    #expect(found.map(\.id).count == 3 && found.map(\.id).last == 1)
    #expect(try db.fetch(Note.order(by: order)).map(\.id).last == 2)
    #expect(try db.fetch(Note.order(by: order).limit(1)).map(\.id) == [found[0].id])
    #expect(
      try db.fetch(Note.all.select(\.id).order(by: order).limit(3)) == found.map(\.id))
  }

  @Test func `the ranks of all rows are computed once`() throws {
    let sql = try db.sql(of: Note.order(by: .relevance(of: pattern, in: "note_index")))
    let plan = try db.queryPlan(sql)
    #expect("\(plan)".contains("MATERIALIZE sluice_found"))
  }

  @Test func `a model whose key is not an integer has no full-text queries`() throws {
    let named = NamedNote.where(.matches(pattern, in: "note_index"))
    #expect(failure { try db.fetch(named) }?.code == .misuse)
    #expect(failure { try db.delete(named) }?.code == .misuse)
    #expect(
      failure { try db.fetch(MarkedNote.where(.matches(pattern, in: "note_index"))) }?.code
        == .misuse)
    #expect(
      failure { try db.fetch(ListedNote.where(.matches(pattern, in: "note_index"))) }?.code
        == .misuse)
    try db.insert([NumberedNote(number: .one), NumberedNote(number: .two)])
    #expect(
      try db.fetch(NumberedNote.where(.matches(pattern, in: "note_index"))).map(\.number) == [.one])
    #expect(
      failure {
        try db.fetch(NamedNote.order(by: .relevance(of: pattern, in: "note_index")))
      }?.code == .misuse)
  }
}
