import Notes
import Sluice
import SluiceTesting
import Testing

@Suite(
  .enabled(if: SQLiteLibrary.has(.fts5) && SQLiteLibrary.has(.preUpdateHook)),
  .timeLimit(.minutes(5)))
struct `The index in memory` {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `after random writes, the indexes equal new ones`(_ seed: UInt64) async throws {
    let pool = try ConnectionPool()
    try await Schema.migrator().migrate(pool)
    let follower = IndexFollower(pool)
    let following = Task { await follower.run() }
    defer { following.cancel() }
    for round in 0..<20 {
      try await pool.perform { connection in
        var writer = RandomWriter(seed: seed << 8 + UInt64(round))
        for _ in 0..<10 { try writer.write(to: connection) }
        try connection.execute("REPLACE INTO notebook(id, name) VALUES (99, 'round')")
        try connection.execute(
          "INSERT INTO note(notebook, title, body) VALUES (99, \("round \(round)"), '')")
      }
      // The last note of a round arrives after all changes before it.
      try await follower.wait { $0.completions(of: "\(round)").contains("\(round)") }
      let notes = try await pool.read { try $0.allNotes() }
      try #require(follower.index == NoteIndex(notes), "seed \(seed), round \(round)")
      try await pool.perform { try $0.fullText("note_index").checkIntegrity() }
    }
    #expect(follower.buildCount == 1)
    try await pool.close()
  }

  @Test func `a commit of another process builds the index again`() async throws {
    let stage = try Stage()
    try await stage.withService { service in
      let other = try await stage.service()
      try await service.create("A")
      try await service.follower.wait { $0.notes.count == 1 }
      let builds = service.follower.buildCount
      try await other.create("B")
      try await service.follower.wait { $0.notes.count == 2 }
      #expect(service.follower.buildCount > builds)
      try await service.create("C")
      try await service.follower.wait { $0.notes.count == 3 }
      #expect(service.completions(of: "b") == ["b"])
      await other.shutDown()
    }
  }

  @Test func `many commits of another process end in a current index`() async throws {
    let stage = try Stage()
    try await stage.withService { service in
      let other = try await stage.service()
      for number in 1...30 { try await other.create("Note \(number)") }
      try await service.follower.wait { $0.notes.count == 30 }
      #expect(service.metrics().index.isFollowing)
      #expect(service.metrics().index.lastProblem == nil)
      await other.shutDown()
    }
  }

  @Test func `after an error, the index is built again`() async throws {
    let pool = try ConnectionPool()
    // The table does not exist yet.
    let follower = IndexFollower(pool, pauses: .milliseconds(1)...(.milliseconds(4)))
    let following = Task { await follower.run() }
    defer { following.cancel() }
    while follower.lastProblem == nil { await Task.yield() }
    #expect(follower.buildCount == 0)
    try await Schema.migrator().migrate(pool)
    try await pool.write { connection in
      try connection.execute(
        """
        INSERT INTO notebook(id, name) VALUES (1, 'Inbox');
        INSERT INTO note(notebook, title, body) VALUES (1, 'Note G', '');
        """)
    }
    try await follower.wait { $0.notes.count == 1 }
    while !follower.isFollowing { await Task.yield() }
    try await pool.close()
    // The follower of a closed database ends.
    await following.value
    #expect(!follower.isFollowing)
  }

  @Test func `a commit with too many changes builds the index again`() async throws {
    let pool = try ConnectionPool()
    try await Schema.migrator().migrate(pool)
    let follower = IndexFollower(pool, limit: 10)
    let following = Task { await follower.run() }
    defer { following.cancel() }
    try await pool.write { connection in
      try connection.execute(
        """
        INSERT INTO notebook(id, name) VALUES (1, 'Inbox');
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO note(notebook, title, body) SELECT 1, 'n' || i, '' FROM n
        """)
    }
    try await follower.wait { $0.notes.count == 100 }
    try await pool.perform { try $0.execute(sql: "UPDATE note SET title = 'last' WHERE id = 100") }
    try await follower.wait { $0.completions(of: "last") == ["last"] }
    #expect(1...2 ~= follower.buildCount)
    try await pool.close()
  }

  @Test func `changes that are applied twice have the effect of one`() async throws {
    let pool = try ConnectionPool()
    try await Schema.migrator().migrate(pool)
    var commits = pool.rowChanges(in: "note").makeAsyncIterator()
    try await pool.perform { connection in
      var writer = RandomWriter(seed: 1)
      for _ in 0..<50 { try writer.write(to: connection) }
      try connection.execute("INSERT OR IGNORE INTO notebook(id, name) VALUES (99, 'last')")
      try connection.execute("INSERT INTO note(notebook, title, body) VALUES (99, 'end', '')")
    }
    let notes = try await pool.read { try $0.allNotes() }
    let current = NoteIndex(notes)
    var replayed = current
    while !replayed.completions(of: "end").contains("end") || replayed != current {
      guard let commit = try await commits.next() else { break }
      try replayed.apply(commit)
    }
    #expect(replayed == current)
  }
}
