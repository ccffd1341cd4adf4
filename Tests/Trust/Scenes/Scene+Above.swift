import Sluice
import SluiceModels

private struct Pet: Codable, Model, Equatable {
  static let table = ModelTable("pet", key: \Pet.id)
  var id: Int64?
  var name: String
  var age: Int?
}

extension Scene {
  /// Features that build on all others.
  static var above: [Scene] {
    [
      Scene("migrations") { database in
        try database.use { connection in
          let migrator = try Migrator([
            Migration(1, "pets", sql: "CREATE TABLE pet(id INTEGER PRIMARY KEY, name TEXT)"),
            Migration(2, "pairs") { try database.addPairByHalf($0) },
          ])
          do {
            let report = try migrator.migrate(connection)
            try require(report.version == 2, "the version is \(report.version)")
          } catch {
            // A failed migration is not recorded and leaves no changes.
            if let rows = try? connection.first(.column(.int), sql: "SELECT count(*) FROM pair") {
              try require(rows % 2 == 0, "half of a migration is there after \(error)")
            }
            throw error
          }
          try require(migrator.pending(on: connection).isEmpty, "something is pending")
        }
      },
      Scene("adopted migrations") { database in
        try database.use { connection in
          try connection.execute(
            sql: """
              CREATE TABLE pet(id INTEGER PRIMARY KEY, name TEXT);
              CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
              INSERT INTO grdb_migrations VALUES ('pets')
              """)
          let migrator = try Migrator(
            [
              Migration("pets", sql: "CREATE TABLE pet(id INTEGER PRIMARY KEY, name TEXT)"),
              Migration("pairs") { try database.addPairByHalf($0) },
            ], adopting: .grdb)
          do {
            let report = try migrator.migrate(connection)
            try require(report.adopted.count == 1, "\(report.adopted) were adopted")
            try require(report.version == 2, "the version is \(report.version)")
          } catch {
            let sql = "SELECT count(*) FROM sluice_migration"
            if let count = try? connection.first(.column(.int), sql: sql) {
              try require(count == 2, "a record of \(count) is there after \(error)")
            }
            throw error
          }
        }
      },
      Scene("models") { database in
        try database.use { connection in
          try connection.createTable(of: Pet.self)
          let rex = try connection.insert(Pet(name: "Rex", age: 3))
          try connection.insert([Pet(name: "Bello"), Pet(name: "Minka", age: 7)])
          try connection.update(Pet.self, key: 2, .set(\.age, to: 1))
          let old = try connection.fetch(Pet.where(\.age >= 3).order(by: \.name))
          try require(old.map(\.name) == ["Minka", "Rex"], "\(old) were fetched")
          try connection.delete(rex)
          try require(connection.count(Pet.all) == 2, "pets are missing")
        }
      },
    ]
  }
}
