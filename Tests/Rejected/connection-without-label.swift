// A path needs the label `path:`, because a URI is a `String` too.
// says: 'init(_:)' has been renamed to 'init(path:)'

import Sluice

func open() throws {
  #if REJECTED
    let connection = try Connection("app.db")
  #else
    let connection = try Connection(path: "app.db")
  #endif
  try connection.close()
}
