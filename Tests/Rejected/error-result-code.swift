// The code of an error is its extended result code.
// says: 'resultCode' has been renamed to 'code.primary'

import Sluice

func isConstraint(_ error: SQLiteError) -> Bool {
  #if REJECTED
    error.resultCode == .constraint
  #else
    error.code.primary == .constraint
  #endif
}
