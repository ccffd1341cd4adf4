// A commit hook refuses a commit by throwing an error. A closure that returns a Bool would refuse nothing.
// says: A commit hook returns nothing. To refuse the commit, it throws an error

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
