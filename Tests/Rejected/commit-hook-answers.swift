// A commit hook rejects a commit by throwing an error. The result of a closure that returns a Bool would be ignored.
// says: A commit hook must not return a value. To refuse the commit, throw an error

import Sluice

func forbid(_ isAllowed: Bool, _ connection: Connection) throws {
  #if REJECTED
    try connection.onCommit { isAllowed }
  #else
    try connection.onCommit { if !isAllowed { throw CancellationError() } }
    try connection.onCommit { guard isAllowed else { throw CancellationError() } }
    var count = 0
    try connection.onCommit { count += 1 }
    _ = count
  #endif
}
