import Foundation
import Sluice
import SluiceCommand
import TestSupport

/// A folder with files, whose path is written as `@` in arguments, file names and output.
struct ProjectFolder {
  let folder: TestFolder

  /// Two migrations that create two tables, an index, a view and a trigger.
  static let migrations = [
    "@/Migrations/0001_people.sql": """
    CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE person(
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL COLLATE NOCASE,
      city INTEGER REFERENCES city(id) ON DELETE SET NULL,
      age INTEGER DEFAULT 18);

    """,
    "@/Migrations/0002_adults.sql": """
    CREATE INDEX person_city ON person(city, name DESC);
    CREATE VIEW adult AS SELECT name, age FROM person WHERE age >= 18;
    CREATE TRIGGER aging AFTER UPDATE ON person BEGIN SELECT 1; END;

    """,
  ]

  init(_ files: [String: String] = ProjectFolder.migrations) throws {
    folder = try TestFolder()
    for (path, text) in files { try write(text, path) }
  }

  /// Returns a project with a database to which both migrations are applied.
  static func migrated() throws -> ProjectFolder {
    let project = try ProjectFolder()
    guard project.run("migrate", "--create", "@/app.db", "@/Migrations").code == .success else {
      throw SQLiteError(.error, "The migrations fail")
    }
    return project
  }

  func write(_ text: String, _ path: String) throws {
    let file = URL(filePath: full(path))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Executes SQL on a database.
  func execute(_ sql: String, _ path: String = "@/app.db") throws {
    let connection = try Connection(path: full(path))
    try connection.execute(sql: sql)
    try connection.close()
  }

  /// Copies the files of a database that have these suffixes, in their current state, to another name.
  func copy(_ name: String, as other: String, _ suffixes: [String]) throws {
    for suffix in suffixes {
      let data = try Data(contentsOf: URL(filePath: full("@/\(name).db\(suffix)")))
      try data.write(to: URL(filePath: full("@/\(other).db\(suffix)")))
    }
  }

  /// Runs the program in this process.
  func run(_ arguments: String..., input: String = "") -> Run { run(arguments, input: input) }

  func run(_ arguments: [String], input: String = "") -> Run {
    Run(arguments.map(full), input: input).replacing(path, "@")
  }

  /// Returns the text with each `@` replaced by the path of the folder.
  func full(_ text: String) -> String { text.replacing("@", with: path) }

  /// The bytes of all files by name, which must not change when a command only reads.
  var bytes: [String: Data] {
    get throws {
      var bytes: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        bytes[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
      }
      return bytes
    }
  }

  private var path: String { folder.url.path(percentEncoded: false) }
}
