// An authorizer says what becomes of the statement, for which a Bool does not do.
// says: cannot convert value of type 'Bool' to closure result type 'Authorization'

import Sluice

func authorize(_ isAllowed: Bool, _ connection: Connection) throws {
  #if REJECTED
    try connection.authorize { _ in isAllowed }
  #else
    try connection.authorize { _ in isAllowed ? .allow : .deny }
  #endif
}
