// A condition is negated by the operator `!`.
// says: Negate the condition: !.in(…)

import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
  var age: Int
}

func others() -> ModelQuery<Person> {
  #if REJECTED
    Person.where(.notIn(\.age, [1, 2]))
  #else
    Person.where(!.in(\.age, [1, 2]))
  #endif
}
