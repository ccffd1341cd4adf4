// The context of a full-text function cannot be stored beyond the call.
// says: implicit conversion to 'FTS5Context?' is consuming

import Sluice

func add(to connection: Connection) throws {
  #if REJECTED
    var kept: FTS5Context?
    try connection.addFullTextFunction("f") { context in
      kept = context
      return nil
    }
    _ = kept?.columnCount
  #else
    var kept: Int?
    try connection.addFullTextFunction("f") { context in
      kept = context.columnCount
      return nil
    }
    _ = kept
  #endif
}
