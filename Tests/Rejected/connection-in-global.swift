// A connection cannot be a global that every thread can reach; a queue can.
// says: not concurrency-safe

import Sluice

enum Database {
  #if REJECTED
    static let shared = try? Connection()
  #else
    static let shared = try? ConnectionQueue()
  #endif
}
