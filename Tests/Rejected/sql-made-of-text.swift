// No text of the time of running becomes SQL, not by way of the initializer for literals either.
// says: SQL

import Sluice

func conditions(_ texts: [String]) -> [SQL] {
  #if REJECTED
    return texts.map(SQL.init)
  #else
    return texts.map { "name = \($0)" }
  #endif
}
