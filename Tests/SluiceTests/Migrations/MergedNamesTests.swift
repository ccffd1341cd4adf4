import Sluice
import TestSupport
import Testing

/// Every number of migrations that a program may have applied before some of them were merged.
@Suite(.tags(.migrations)) struct `merging the second to the fourth of five migrations` {
  private let db: Connection

  init() throws { db = try Connection() }

  private static let former = (1...5).map { Migration("v\($0)", sql: "CREATE TABLE t\($0)(a)") }

  private static func list(merging names: [String]) -> [Migration] {
    let merged = Migration(
      "v4", merging: names, sql: "CREATE TABLE t2(a); CREATE TABLE t3(a); CREATE TABLE t4(a)")
    return [former[0], merged, former[4]]
  }

  /// Applies the first migrations, and records them as this program or another library does.
  private func apply(_ count: Int, isAdopted: Bool) throws {
    guard isAdopted else {
      try Migrator(Self.former).migrate(db, upTo: count)
      return
    }
    try db.execute(sql: "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY)")
    for number in 1..<(count + 1) {
      try db.execute(sql: "CREATE TABLE t\(number)(a)")
      try db.execute("INSERT INTO grdb_migrations VALUES (\("v\(number)"))")
    }
  }

  @Test(arguments: 0...5, [false, true])
  func `all work is done, or the database is refused`(_ count: Int, _ isAdopted: Bool) throws {
    try apply(count, isAdopted: isAdopted)
    let migrator = try Migrator(
      Self.list(merging: ["v2", "v3", "v4"]), adopting: isAdopted ? .grdb : nil)
    let before = try db.schema
    if count == 2 || count == 3 {
      let error = refusal { try migrator.migrate(db) }
      guard case .partlyMerged(let step, let done, let missing) = error else {
        Issue.record("The database was not refused")
        return
      }
      #expect(step == migrator.steps[1])
      #expect(done.map(\.description) == (2...count).map { "\($0) \"v\($0)\"" })
      #expect(missing.map(\.description) == (count + 1...4).map { "\($0) \"v\($0)\"" })
      #expect(try db.schema == before)
    } else {
      let applied = count < 1 ? ["v1", "v4", "v5"] : count < 4 ? ["v4", "v5"] : ["v5"]
      let report = try migrator.migrate(db)
      #expect(report.applied.map(\.name) == (count == 5 ? [] : applied))
      #expect(report.version == 5)
      #expect(try db.schema.filter { $0.hasPrefix("t") } == ["t1", "t2", "t3", "t4", "t5"])
      #expect(try migrator.drift(on: db).isEmpty)
      #expect(try !migrator.shouldMigrate(db))
    }
  }

  @Test(arguments: [["v2", "v3"], ["v4", "v2", "v3"], ["v3"], ["V4"]])
  func `a list throws unless the merged migration has the last name that it replaces`(
    _ names: [String]
  ) throws {
    let error = failure { try Migrator(Self.list(merging: names)) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("add \"v4\" to the end of merging") == true)
  }

  @Test(arguments: [["v1", "v4"], ["v1", "v4", "v5"], ["v1", "v2", "v3", "v4", "v5"]])
  func `a record of GRDB, which had merged them, is adopted`(_ names: [String]) throws {
    try db.execute(sql: "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY)")
    for name in names { try db.execute("INSERT INTO grdb_migrations VALUES (\(name))") }
    let migrator = try Migrator(Self.list(merging: ["v2", "v3", "v4"]), adopting: .grdb)
    let report = try migrator.migrate(db)
    let isComplete = names.last == "v5"
    #expect(report.adopted.map(\.name) == (isComplete ? ["v1", "v4", "v5"] : ["v1", "v4"]))
    #expect(report.applied.map(\.name) == (isComplete ? [] : ["v5"]))
  }
}
