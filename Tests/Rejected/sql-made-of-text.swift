// Text that is composed at run time cannot become SQL, not even through the initializer for literals.
// says: SQL

import Sluice

func conditions(_ texts: [String]) -> [SQL] {
  #if REJECTED
    return texts.map(SQL.init)
  #else
    return texts.map { "name = \($0)" }
  #endif
}
