// The arguments of a function cannot be stored beyond the call.
// says: implicit conversion to 'SQLFunctionArguments?' is consuming

import Sluice

func add(to connection: Connection) throws {
  #if REJECTED
    var kept: SQLFunctionArguments?
    try connection.addFunction("f", arity: 1) { values in
      kept = values
      return nil
    }
    _ = kept?.count
  #else
    var kept: DatabaseValue?
    try connection.addFunction("f", arity: 1) { values in
      kept = try values[0]
      return nil
    }
    _ = kept
  #endif
}
