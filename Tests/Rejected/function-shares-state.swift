// A function added in a queue's closure cannot share state with code outside the queue.
// says: 'inout sending' parameter 'connection' cannot be task-isolated at end of function

import Sluice

final class Counter { var count = 0 }

func add(to queue: ConnectionQueue, _ counter: Counter) throws {
  try queue.sync { connection in
    #if REJECTED
      try connection.addFunction("f") { () in
        counter.count += 1
        return counter.count
      }
    #else
      let counter = Counter()
      try connection.addFunction("f") { () in
        counter.count += 1
        return counter.count
      }
    #endif
  }
}
