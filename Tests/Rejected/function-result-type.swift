// A function cannot return a value of a type that SQL cannot represent.
// says: 'NotSQL' conform to 'SQLFunctionResult'

import Sluice

struct NotSQL {}

func add(to connection: Connection) throws {
  #if REJECTED
    try connection.addFunction("f") { (value: Int) in NotSQL() }
  #else
    try connection.addFunction("f") { (value: Int) in "\(value)" }
  #endif
}
