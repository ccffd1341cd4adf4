// A property cannot be compared with a value of another type, because the two could never be equal.
// says: to expected argument type

import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
  var age: Int?
}

func adults() -> ModelQuery<Person> {
  #if REJECTED
    Person.where(\.age >= "eighteen")
  #else
    Person.where(\.age >= 18)
  #endif
}
