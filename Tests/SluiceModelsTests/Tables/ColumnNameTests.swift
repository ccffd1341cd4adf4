import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.coding, .models)) struct `column names in snake case` {
  struct Site: Codable, Model, Equatable {
    static let table = ModelTable(
      "web_site", key: \Site.siteID, .columnNames(.snakeCase),
      .column(\.homePage, .unique), .column(\.ownerName, .default("nobody")),
      .column(\.upperName, .generated(sql: "upper(owner_name)")),
      .unique(\.homePage, \.ownerName), .index(\.lastVisit, \.homePage),
      .column("free_text", .text))
    var siteID: Int64?
    var homePage: String
    var ownerName: String
    var lastVisit: Date?
    var imageNames: [String] = []
    var upperName: String?
    var plain = 1
  }

  struct Link: Codable, Model, Equatable {
    static let table = ModelTable(
      "link", key: \Link.fromSite, and: \.toSite, .columnNames(.snakeCase), .withoutRowid,
      .foreignKey(\.fromSite, references: Site.self, onDelete: .cascade),
      .column(\.toSite, .references(Site.self)))
    var fromSite: Int64
    var toSite: Int64
    var linkText: String
  }

  /// Column names come from the table, regardless of the strategies of the connection.
  static let strategies: [CodingStrategies] = [
    CodingStrategies(), CodingStrategies(keys: .snakeCase),
    CodingStrategies(dates: .julianDay, keys: .custom { "c_\($0)" }),
  ]

  private func open(_ strategies: CodingStrategies) throws -> Connection {
    let db = try Connection()
    db.codingStrategies = strategies
    try db.createTable(of: Site.self)
    try db.createTable(of: Link.self)
    return db
  }

  @Test func `tables, indexes and foreign keys use the column names in snake case`() throws {
    #expect(
      try Site.table.columnNames == [
        "site_id", "home_page", "owner_name", "last_visit", "image_names", "upper_name", "plain",
        "free_text",
      ])
    #expect(try Site.table.keyNames == ["site_id"])
    #expect(try Link.table.keyNames == ["from_site", "to_site"])
    let sql = try Connection().tableSQL(of: Site.self)
    #expect(
      sql == [
        #"""
        CREATE TABLE "web_site"("site_id" INTEGER PRIMARY KEY, "home_page" TEXT NOT NULL UNIQUE, \#
        "owner_name" TEXT NOT NULL DEFAULT ('nobody'), "last_visit" TEXT, \#
        "image_names" TEXT NOT NULL, "upper_name" TEXT AS (upper(owner_name)) VIRTUAL, \#
        "plain" INTEGER NOT NULL, "free_text" TEXT, UNIQUE("home_page", "owner_name"))
        """#,
        #"CREATE INDEX "web_site_last_visit_home_page" ON "web_site"("last_visit", "home_page")"#,
      ])
    #expect(
      try Connection().tableSQL(of: Link.self)[0].contains(
        #"FOREIGN KEY("from_site") REFERENCES "web_site"("site_id") ON DELETE CASCADE"#))
  }

  @Test(arguments: strategies) func `rows are written and read with the column names in snake case`(
    _ strategies: CodingStrategies
  ) throws {
    let db = try open(strategies)
    let visit = Date(timeIntervalSinceReferenceDate: 1)
    var site = try db.insert(
      Site(homePage: "a", ownerName: "ada", lastVisit: visit, imageNames: ["x"]))
    #expect(site.siteID == 1)
    site.upperName = "ADA"
    #expect(try db.fetch(Site.self, key: 1) == site)
    #expect(
      try db.query(.model(Site.self), "SELECT web_site.* FROM web_site") == [site])
    site.homePage = "b"
    try db.update(site, \.homePage)
    try db.update(site, columns: ["last_visit"])
    site.plain = 2
    try db.update(site)
    try db.upsert(site)
    #expect(try db.fetch(Site.all) == [site])
    try db.insert(Link(fromSite: 1, toSite: 1, linkText: "self"))
    #expect(try db.fetch(Link.self, key: (1, 1))?.linkText == "self")
    #expect(try db.insertEach([site]).count == 1)
    try db.delete(Link.self, key: (1, 1))
    try db.delete(site)
    #expect(try db.count(Site.all) == 0)
  }

  @Test(arguments: strategies) func `queries use the column names in snake case`(
    _ strategies: CodingStrategies
  )
    throws
  {
    let db = try open(strategies)
    let visit = Date(timeIntervalSinceReferenceDate: 1)
    try db.insert([
      Site(homePage: "a", ownerName: "ada", lastVisit: visit),
      Site(homePage: "b", ownerName: "eve"),
    ])
    #expect(try db.fetch(Site.where(\.homePage == "a" && \.lastVisit <= visit)).count == 1)
    #expect(try db.fetch(Site.where(\.upperName == "EVE")).map(\.homePage) == ["b"])
    #expect(
      try db.fetch(Site.order(by: \.lastVisit, \.homePage)).map(\.homePage) == ["b", "a"])
    #expect(try db.count(Site.where(.column("home_page", .equal, "a"))) == 1)
    #expect(try db.count(Site.where(.in(\.imageNames, [[]]))) == 2)
    #expect(try db.update(Site.where(\.ownerName == "eve"), .set(\.lastVisit, to: visit)) == 1)
    #expect(try db.update(Site.self, key: 1, .column("owner_name", to: "ann")) == 1)
    #expect(try db.count(Site.where(\.lastVisit == visit)) == 2)
    #expect(failure { try db.count(Site.where(.column("homePage", .equal, "a"))) }?.code == .range)
  }

  @Test func `a migration uses the column names in snake case`() throws {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE web_site(site_id INTEGER PRIMARY KEY, url TEXT, first TEXT, last TEXT, old_one);
      INSERT INTO web_site VALUES (1, 'a', 'Ada', 'Lovelace', 5);
      CREATE INDEX by_url ON web_site(url)
      """)
    func change(_ migration: inout TableMigration<Site>) {
      #expect(migration.keyNames == ["site_id"])
      migration.rename("url", to: \.homePage)
      migration.combine("first", "last", into: \.ownerName, separator: " ")
      migration.fill(\.imageNames, sql: "json_array(home_page)")
      migration.fill(\.plain, sql: "7")
      migration.drop("old_one")
    }
    let plan = try db.migrationPlan(of: Site.self, to: 1, change)
    #expect(try db.migrate(Site.self, to: 1, change) == plan)
    #expect(
      try db.fetch(Site.all) == [
        Site(
          siteID: 1, homePage: "a", ownerName: "Ada Lovelace", imageNames: ["a"],
          upperName: "ADA LOVELACE", plain: 7)
      ])
    #expect(
      try db.strings("SELECT sql FROM sqlite_schema WHERE name = 'web_site'")
        == [db.tableSQL(of: Site.self)[0]])
    // No difference remains.
    #expect(try db.migrate(Site.self, to: 2).statements.count == 2)
  }

  @Test func `column names are those of a custom strategy, or without one the property names`()
    throws
  {
    struct Custom: Codable, Model {
      static let table = ModelTable(
        "custom", key: \Custom.id, .columnNames(.custom { "c_\($0)" }))
      var id: Int64?
      var homePage: String
    }
    struct Plain: Codable, Model {
      static let table = ModelTable("plain", key: \Plain.id)
      var id: Int64?
      var homePage: String
      var other: String

      enum CodingKeys: String, CodingKey {
        case id, homePage
        case other = "home_page"
      }
    }
    let db = try Connection()
    db.codingStrategies.keys = .snakeCase
    try db.createTable(of: Custom.self)
    #expect(try Custom.table.columnNames == ["c_id", "c_homePage"])
    try db.insert(Custom(homePage: "a"))
    #expect(try db.fetch(Custom.where(\.homePage == "a")).map(\.id) == [1])
    try db.createTable(of: Plain.self)
    try db.insert(Plain(homePage: "a", other: "b"))
    let plain = try db.fetch(Plain.self, key: 1)
    #expect(plain?.homePage == "a")
    #expect(plain?.other == "b")
  }

  @Test func `a table throws for duplicate column names, or a naming strategy for listed columns`()
    throws
  {
    struct Twins: Codable, Model {
      static let table = ModelTable("twins", key: \Twins.id, .columnNames(.snakeCase))
      var id: Int64?
      var homePage: String
      var other: String

      enum CodingKeys: String, CodingKey {
        case id, homePage
        case other = "home_page"
      }
    }
    struct Named: Model {
      static let table = ModelTable(
        "named", key: \Named.id, columns: .column("id", \.id, .integer), .columnNames(.snakeCase))
      var id: Int64
      init(row: borrowing Row) throws { id = try row.get(.int64, named: "id") }
      func columnValues(for connection: Connection) -> ColumnValues {
        ["id": .int64(id)]
      }
    }
    let db = try Connection()
    let error = failure { try db.createTable(of: Twins.self) }
    #expect(error?.code == .misuse)
    #expect(
      error?.message.contains("are both named \"home_page\"") == true, "\(error?.message ?? "")"
    )
    #expect(failure { try db.createTable(of: Named.self) }?.code == .misuse)
  }
}
