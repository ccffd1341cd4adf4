// An authorizer must return an `Authorization`. A Bool does not say how to treat the statement.
// says: cannot convert value of type 'Bool' to closure result type 'Authorization'

import Sluice

func authorize(_ isAllowed: Bool, _ connection: Connection) throws {
  #if REJECTED
    try connection.authorize { _ in isAllowed }
  #else
    try connection.authorize { _ in isAllowed ? .allow : .deny }
  #endif
}
