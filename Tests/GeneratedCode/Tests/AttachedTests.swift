import Foundation
import Sluice
import Testing

/// Tests generated queries on a database that the program attaches.
@Suite(.tags(.checkedSQL)) struct `attached databases` {
  private func library() throws -> Connection {
    let folder = try temporaryFolder()
    defer { remove(folder) }
    let archive = try Connection(path: folder.appending(path: "archive.db").path)
    try Migrations.Archive.migrator().migrate(archive)
    let library = try Library.connection()
    try library.attach(path: ":memory:", as: "archive")
    try library.deserialize(archive.serialize(), database: "archive")
    return library
  }

  @Test func `generated functions read and write the main and the attached database`() throws {
    let library = try library()
    for title in ["Notes", "Letters"] {
      _ = try library.addBook(title: title, publisher: nil, year: nil, price: nil, summary: nil)
    }
    let now = Date(timeIntervalSince1970: 1000)
    #expect(try library.archiveBook(now: now, id: 1) == 1)
    #expect(try library.removeBook(id: 1) == 1)
    let removed = try library.removedSince(time: now)
    #expect(removed == [RemovedSinceRow(title: "Notes", removed: now)])
    let all: [NumberedTitle] = try library.allTitles()
    #expect(
      all == [NumberedTitle(id: 1, title: "Notes"), NumberedTitle(id: 2, title: "Letters")])
    // A query in another file shares this struct.
    #expect(try library.numberedTitles() == Array(all.dropFirst()))
  }

  @Test func `generated migrations of an attached database match the files in its folder`() throws {
    let folder = files.appending(path: "Attached/archive")
    #expect(
      Migrations.Archive.all.map(\.checksum) == (try Migration.files(in: folder)).map(\.checksum))
  }
}
