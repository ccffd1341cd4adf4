import Foundation
import Notes
import Sluice
import SluiceTesting
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(5))) struct `Bad files` {
  private let stage: Stage

  init() throws { stage = try Stage() }

  @Test func `writes to a locked database are unavailable, and reads succeed`() async throws {
    try await stage.withService { service in
      try await service.create("Note G")
      // To SQLite, another connection is equivalent to another process.
      let other = try Connection(path: stage.file)
      try other.execute(sql: "BEGIN IMMEDIATE")
      let failure = await service.failure { try await $0.delete(1) }
      #expect(
        failure
          == .unavailable("Another program is writing to the database", retryAfter: .seconds(1)))
      #expect(await service.health().isHealthy)
      try other.execute(sql: "ROLLBACK")
      try await service.respond { try await $0.delete(1) }
    }
  }

  @Test func `a lock that outlasts the busy timeout is unavailable before the time limit`()
    async throws
  {
    let service = try await stage.service(busyTimeout: .seconds(1), timeLimit: .seconds(10))
    try await service.create("Note G")
    let other = try Connection(path: stage.file)
    try other.execute(sql: "BEGIN IMMEDIATE")
    let failure = await service.failure { try await $0.delete(1) }
    #expect(
      failure
        == .unavailable("Another program is writing to the database", retryAfter: .seconds(1)))
    try other.close()
    await service.shutDown(grace: .zero)
  }

  @Test func `a busy timeout that is not shorter than the time limit becomes half of the limit`() {
    let limit = Duration.seconds(10)
    #expect(NotesService.busyTimeout(.seconds(5), within: limit) == .seconds(5))
    #expect(NotesService.busyTimeout(.seconds(10), within: limit) == .seconds(5))
    #expect(NotesService.busyTimeout(.seconds(60), within: limit) == .seconds(5))
    #expect(NotesService.busyTimeout(nil, within: limit) == nil)
  }

  @Test func `a database that is locked when the service starts is unavailable`() async throws {
    try await stage.withService { try await $0.create("Note G") }
    let other = try Connection(path: stage.file)
    try other.execute(sql: "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
    await #expect(
      throws: NotesError.unavailable(
        "Another program is writing to the database", retryAfter: .seconds(1))
    ) { try await stage.service() }
    try other.close()
    try await stage.withService { try await $0.create("Note H") }
  }

  @Test func `on a full disk, writes have no space and reads succeed`() async throws {
    let files = try FaultyFileSystem(over: SQLiteLibrary.standardFileSystem)
    try await stage.withService(configuration: files.configuration()) { service in
      try await service.create("Note G")
      files.arm(.full.forEver)
      let failure = await service.failure { _ = try await $0.create(Draft(title: "Note H")) }
      #expect(failure == .outOfSpace)
      let note = try await service.respond { try await $0.note(1) }
      #expect(note.title == "Note G")
      files.disarm()
      #expect(try await service.create("Note H").id == 2)
    }
  }

  @Test func `a database that has reached its maximum size has no space`() async throws {
    var configuration = Configuration()
    configuration.prepareConnection { try $0.execute(sql: "PRAGMA max_page_count = 40") }
    try await stage.withService(configuration: configuration) { service in
      try await service.create("Note G")
      let body = String(repeating: "a", count: 200_000)
      let failure = await service.failure {
        _ = try await $0.create(Draft(title: "Note H", body: body))
      }
      #expect(failure == .outOfSpace)
      try await service.create("Note I")
    }
  }

  @Test func `a write whose system call fails is unavailable`() async throws {
    let files = try FaultyFileSystem(over: SQLiteLibrary.standardFileSystem)
    try await stage.withService(configuration: files.configuration()) { service in
      try await service.create("Note G")
      files.arm(.error(in: [.write]).forEver)
      let failure = await service.failure { try await $0.delete(1) }
      #expect(
        failure == .unavailable(NotesError.unknownOutcome, retryAfter: .seconds(10)))
      files.disarm()
      try await service.respond { try await $0.delete(1) }
    }
  }

  @Test func `a read-only database is unavailable for writes only`() async throws {
    try await stage.withService { try await $0.create("Note G") }
    var configuration = Configuration()
    configuration.readOnly = true
    try await stage.withService(configuration: configuration) { service in
      let failure = await service.failure { try await $0.delete(1) }
      #expect(
        failure == .unavailable("The database is read-only", retryAfter: .seconds(60)))
      let note = try await service.respond { try await $0.note(1) }
      #expect(note.title == "Note G")
    }
  }

  @Test(arguments: [false, true])
  func `after its file was deleted or replaced, the service refuses writes`(
    _ isReplaced: Bool
  ) async throws {
    let other = try Stage()
    try await other.withService { try await $0.create("Note H") }
    let service = try await stage.service()
    try await service.create("Note G")
    try FileManager.default.removeItem(atPath: stage.file)
    if isReplaced { try FileManager.default.copyItem(atPath: other.file, toPath: stage.file) }
    let failure = await service.failure { _ = try await $0.create(Draft(title: "Note I")) }
    #expect(
      failure == .unavailable("The database file cannot be opened", retryAfter: .seconds(60)))
    #expect(await !service.health().isHealthy)
    await service.shutDown()
    try await stage.withService { service in
      let page = try await service.respond { try await $0.page(1) }
      #expect(page.notes.map(\.title) == (isReplaced ? ["Note H"] : []))
    }
  }

  @Test func `a damaged page fails only the requests that read it`() async throws {
    try await stage.withService { service in
      for number in 0..<200 {
        let draft = Draft(title: "Note \(number)", body: String(repeating: "text ", count: 200))
        _ = try await service.respond { try await $0.create(draft) }
      }
    }
    // The table's pages are at the end of the file, and each contains a few notes.
    try overwrite(pageOf: "note")
    try await stage.withService { service in
      let failure = await service.failure { for id in 1...200 { _ = try await $0.note(id) } }
      guard case .failed = failure else {
        Issue.record("\(failure as Any)")
        return
      }
      #expect(failure?.status == 500)
      let overview = try await service.respond { try await $0.overview() }
      #expect(overview.notebooks.count == 1)
    }
  }

  /// Overwrites one leaf page of a table with zeros.
  private func overwrite(pageOf table: String) throws {
    let connection = try Connection(path: stage.file)
    let root = try #require(
      try connection.first(
        .column(.int), sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", parameters: table))
    let size = try #require(try connection.first(.column(.int), sql: "PRAGMA page_size"))
    try connection.checkpoint(.truncate)
    try connection.close()
    let handle = try FileHandle(forUpdating: URL(filePath: stage.file))
    defer { try? handle.close() }
    // The first child of the root page follows the eight bytes of the header and the right-most child.
    try handle.seek(toOffset: UInt64((root - 1) * size))
    let page = [UInt8](try handle.read(upToCount: size) ?? Data())
    let cell = Int(page[12]) << 8 | Int(page[13])
    let child = page[cell..<cell + 4].reduce(0) { $0 << 8 | Int($1) }
    try handle.seek(toOffset: UInt64((child - 1) * size))
    try handle.write(contentsOf: Data(count: size))
  }

  @Test func `a file that is not a database fails when the service starts`() async throws {
    try Data("This is a letter, not a database.".utf8).write(to: URL(filePath: stage.file))
    await #expect(throws: NotesError.failed("file is not a database")) {
      try await stage.service()
    }
    #expect(try Data(contentsOf: URL(filePath: stage.file)).count == 33)
  }

  @Test func `a damaged header fails when the service starts`() async throws {
    try await stage.withService { try await $0.create("Note G") }
    let handle = try FileHandle(forUpdating: URL(filePath: stage.file))
    try handle.write(contentsOf: Data(repeating: 0xFF, count: 32))
    try handle.close()
    await #expect(throws: NotesError.failed("file is not a database")) {
      try await stage.service()
    }
  }

  @Test func `a database from the future fails when the service starts`() async throws {
    try await stage.withService { try await $0.create("Note G") }
    let newer = try Migrator(
      Schema.migrations + [Migration(3, "colors", sql: "ALTER TABLE note ADD COLUMN color TEXT")])
    let connection = try Connection(path: stage.file)
    try newer.migrate(connection)
    try connection.close()
    let failure = await #expect(throws: NotesError.self) { try await stage.service() }
    guard case .failed(let message) = failure else {
      Issue.record("\(failure as Any)")
      return
    }
    #expect(message.contains("colors"))
  }
}
