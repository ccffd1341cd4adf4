// The value has no label, and the parameter has the label `toParameter:`, not `for:` as in other libraries.
// says: 'bind(value:for:)' has been renamed to 'bind(_:toParameter:)'

import Sluice

func bind(_ age: Int, _ statement: Statement) throws {
  #if REJECTED
    _ = try statement.bind(value: age, for: "age")
  #else
    _ = try statement.bind(age, toParameter: "age")
  #endif
}
