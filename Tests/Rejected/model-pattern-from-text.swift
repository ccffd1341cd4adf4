// A String is not accepted as a pattern, because a "%" in user input would match any text.
// says: cannot convert value of type 'String' to expected argument type 'LikePattern'

import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
  var name: String
}

func find(_ entered: String) -> ModelQuery<Person> {
  #if REJECTED
    Person.where(.like(\.name, entered))
  #else
    Person.where(.like(\.name, .prefix(entered)))
  #endif
}
