// The code of an error is the extended one.
// says: 'resultCode' has been renamed to 'code.primary'

import Sluice

func isConstraint(_ error: SQLiteError) -> Bool {
  #if REJECTED
    error.resultCode == .constraint
  #else
    error.code.primary == .constraint
  #endif
}
