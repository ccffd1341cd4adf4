// A progress handler interrupts a statement by throwing an error. A Bool that a closure returns would be ignored.
// says: A progress handler must not return a value. To end the statement, throw an error

import Sluice

func end(_ isTooLate: Bool, _ connection: Connection) throws {
  #if REJECTED
    try connection.onProgress(every: 1_000) { isTooLate }
  #else
    try connection.onProgress(every: 1_000) { if isTooLate { throw CancellationError() } }
  #endif
}
