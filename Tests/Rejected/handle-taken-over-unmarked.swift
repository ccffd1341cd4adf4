// Taking over a handle of C is unsafe, and has to be marked so.
// says: uses unsafe constructs

import Sluice

func adopt(_ handle: OpaquePointer) -> Connection {
  #if REJECTED
    return Connection(adopting: handle)
  #else
    return unsafe Connection(adopting: handle)
  #endif
}
