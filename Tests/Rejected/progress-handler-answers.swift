// A progress handler ends a statement by throwing an error. A closure that returns a Bool would end nothing.
// says: A progress handler returns nothing. To end the statement, it throws an error

import Sluice

func end(_ isTooLate: Bool, _ connection: Connection) throws {
  #if REJECTED
    try connection.onProgress(every: 1_000) { isTooLate }
  #else
    try connection.onProgress(every: 1_000) { if isTooLate { throw CancellationError() } }
  #endif
}
