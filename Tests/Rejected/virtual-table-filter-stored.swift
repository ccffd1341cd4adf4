// The filter that a virtual table's cursor receives cannot be stored beyond the call.
// says: implicit conversion to 'VirtualTableFilter?' is consuming

import Sluice

final class Cursor: VirtualTableCursor {
  #if REJECTED
    private var kept: VirtualTableFilter?
    func filter(_ filter: borrowing VirtualTableFilter) { kept = filter }
  #else
    private var kept: DatabaseValue?
    func filter(_ filter: borrowing VirtualTableFilter) throws {
      kept = try filter.arguments[0]
    }
  #endif
  func next() {}
  var isAtEnd: Bool { true }
  func column(_ index: Int) -> DatabaseValue { .null }
  var rowid: Int64 { 0 }
}
