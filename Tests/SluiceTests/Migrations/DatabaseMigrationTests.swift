import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `migrating queues and pools` {
  private struct Refused: Error {}

  private let migrator: Migrator

  init() throws { migrator = try Migrator(People.all) }

  @Test func `a queue and a pool migrate up to a number, up to a name, or to the end`()
    async throws
  {
    let databases: [any DatabaseWriter] = [try ConnectionQueue(), try ConnectionPool()]
    for database in databases {
      let first = try await migrator.migrate(database, upTo: 1)
      #expect(first.applied.map(\.number) == [1])
      let second = try await migrator.migrate(database, upTo: migrator.steps[1].name)
      #expect(second.applied.map(\.number) == [2])
      await #expect(throws: Refused.self) {
        try await migrator.migrate(database) { _ in throw Refused() }
      }
      let rest = try await migrator.migrate(database)
      #expect(rest.applied.map(\.number) == [3])
      #expect(try await database.perform { try $0.userVersion } == People.all.count)
    }
  }

  @Test func `a pool can be migrated synchronously`() throws {
    let pool = try ConnectionPool()
    #expect(try migrator.syncMigrate(pool, upTo: 1).version == 1)
    #expect(try migrator.syncMigrate(pool, upTo: migrator.steps[1].name).version == 2)
    #expect(try migrator.syncMigrate(pool).version == People.all.count)
  }
}
