// A path needs a label, because a URI is text as well.
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
