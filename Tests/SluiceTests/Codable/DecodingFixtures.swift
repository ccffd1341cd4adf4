import Foundation
import Sluice

struct Pet: Codable, Equatable {
  var name: String
  var age: Int
}

struct Person: Codable, Equatable {
  var id: Int64
  var name: String
  var born: Date?
  var tags: [String]
  var pet: Pet?
}

extension Person {
  static let ada = Person(
    id: 1, name: "Ada", born: Date(timeIntervalSince1970: -4_861_728_000), tags: ["x", "y"],
    pet: Pet(name: "Rex", age: 3))
  static let alan = Person(id: 2, name: "Alan", born: nil, tags: [], pet: nil)
}

extension Connection {
  /// Returns a connection to an in-memory database with Ada and Alan, and a column that no property reads.
  static func withPeople() throws -> Connection {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name, born, tags, pet, extra);
        INSERT INTO person VALUES
          (1, 'Ada', '1815-12-10', '["x","y"]', '{"name":"Rex","age":3}', 'unused'),
          (2, 'Alan', NULL, '[]', NULL, NULL)
        """)
    return connection
  }
}
