// A key must have the type of the model's key.
// says: cannot convert value of type 'String' to expected argument type

import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
}

func find(_ connection: Connection) throws -> Person? {
  #if REJECTED
    try connection.fetch(Person.self, key: "1")
  #else
    try connection.fetch(Person.self, key: 1)
  #endif
}
