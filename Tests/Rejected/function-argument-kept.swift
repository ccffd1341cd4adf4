// An argument that a function borrows cannot be stored beyond the call.
// says: lifetime-dependent variable 'text' escapes its scope

import Sluice

func add(to connection: Connection) throws {
  #if REJECTED
    let none: [UInt8] = []
    var kept = none.span
    try connection.addFunction("f") { (text: Span<UInt8>, other: Int) -> Int in
      kept = text
      return other
    }
    _ = kept.count
  #else
    var kept = 0
    try connection.addFunction("f") { (text: Span<UInt8>, other: Int) -> Int in
      kept = text.count
      return other
    }
    _ = kept
  #endif
}
