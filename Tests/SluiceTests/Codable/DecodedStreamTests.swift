import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `streams and observations of Decodable values` {
  private struct Item: Codable, Equatable {
    let id: Int
    let name: String
  }
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(
        sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name); INSERT INTO item VALUES (1, 'a')")
    }
  }

  @Test func `a row stream decodes each row`() async throws {
    let id = 1
    for stream in [
      queue.rows(Item.self, sql: "SELECT * FROM item WHERE id = ?", parameters: 1),
      queue.rows(Item.self, "SELECT * FROM item WHERE id = \(id)"),
    ] {
      var found: [Item] = []
      for try await item in stream { found.append(item) }
      #expect(found == [Item(id: 1, name: "a")])
    }
  }

  @Test func `a pool and a read queue can stream and observe decoded rows`() async throws {
    let folder = try TestFolder()
    let path = folder.url.appending(path: "a.db").path
    let pool = try ConnectionPool(path: path)
    try await pool.write { connection in
      try connection.execute(
        sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name); INSERT INTO item VALUES (1, 'a')")
    }
    let readers: [any DatabaseReader] = [pool, try ConnectionReadQueue(path: path)]
    for reader in readers {
      for try await item in reader.rows(Item.self, "SELECT * FROM item") {
        #expect(item == Item(id: 1, name: "a"))
      }
      for try await items in reader.observe(Item.self, "SELECT * FROM item") {
        #expect(items == [Item(id: 1, name: "a")])
        break
      }
    }
  }

  @Test func `an observed query emits decoded rows`() async throws {
    let id = 0
    for observed in [
      queue.observe(Item.self, sql: "SELECT * FROM item WHERE id > ?", parameters: 0),
      queue.observe(Item.self, "SELECT * FROM item WHERE id > \(id)"),
    ] {
      var found = observed.makeAsyncIterator()
      let before = try await found.next()?.count ?? 0
      try await queue.perform { try $0.execute(sql: "INSERT INTO item(name) VALUES ('b')") }
      #expect(try await found.next()?.count == before + 1)
    }
  }
}
