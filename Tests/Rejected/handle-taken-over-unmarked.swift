// Adopting a C handle is unsafe and must be marked `unsafe`.
// says: uses unsafe constructs

import Sluice

func adopt(_ handle: OpaquePointer) -> Connection {
  #if REJECTED
    return Connection(adopting: handle)
  #else
    return unsafe Connection(adopting: handle)
  #endif
}
