// A function cannot have a parameter of a type that SQL cannot represent.
// says: 'NotSQL' conform to 'SQLFunctionArgument'

import Sluice

struct NotSQL {}

func add(to connection: Connection) throws {
  #if REJECTED
    try connection.addFunction("f") { (value: NotSQL) in 1 }
  #else
    try connection.addFunction("f") { (value: Int?) in 1 }
  #endif
}
