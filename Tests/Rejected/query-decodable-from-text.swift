// SQL that is composed at run time is not accepted as a literal, even by a method that decodes rows.
// says: SQL without a label is a literal, in which values are bound; pass a String as sql:

import Sluice

struct Person: Decodable {
  var name: String
}

func people(_ name: String, _ connection: Connection) throws -> [Person] {
  #if REJECTED
    let sql = "SELECT * FROM person WHERE name = '\(name)'"
    return try connection.query(Person.self, sql)
  #else
    return try connection.query(Person.self, "SELECT * FROM person WHERE name = \(name)")
  #endif
}
