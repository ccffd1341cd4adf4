// A connection cannot be a global variable, which any thread could use; a queue can.
// says: not concurrency-safe

import Sluice

enum Database {
  #if REJECTED
    static let shared = try? Connection()
  #else
    static let shared = try? ConnectionQueue()
  #endif
}
