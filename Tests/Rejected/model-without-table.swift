// A model does not declare its table.
// says: A model declares its table: static let table = ModelTable("person", key: \Person.id)

import SluiceModels

struct Person: Codable, Model {
  #if !REJECTED
    static let table = ModelTable("person", key: \Person.id)
  #endif
  var id: Int64?
  var name: String
}
