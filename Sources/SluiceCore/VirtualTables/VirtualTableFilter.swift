import CSluice

/// A plan with its values, lent while a cursor of a ``VirtualTable`` goes to its first row.
@safe public struct VirtualTableFilter: ~Copyable {
  /// The ``VirtualTablePlan/number`` of the plan.
  public let number: Int
  /// The values of the constraints, in the order in which the plan uses them.
  public let arguments: SQLFunctionArguments
  private let planText: UnsafePointer<CChar>?

  init(
    _ number: Int32, _ text: UnsafePointer<CChar>?, _ arguments: consuming SQLFunctionArguments
  ) {
    self.number = Int(number)
    unsafe planText = text
    self.arguments = arguments
  }

  /// The ``VirtualTablePlan/text`` of the plan.
  public var text: String { unsafe planText.map { unsafe String(cString: $0) } ?? "" }

  /// All values of an `IN`, if the plan takes them at once.
  ///
  /// The corresponding C functions are `sqlite3_vtab_in_first` and `sqlite3_vtab_in_next`.
  public func list(at index: Int) throws -> [DatabaseValue] {
    let list = try unsafe arguments.argument(index).value
    var values: [DatabaseValue] = []
    var value: OpaquePointer?
    var code = unsafe sluice_vtab_in_first(list, &value)
    while code == SQLITE_OK, let element = unsafe value {
      do { values.append(try unsafe Argument(element).stored()) } catch {
        throw error.error("A value of the list")
      }
      code = unsafe sluice_vtab_in_next(list, &value)
    }
    guard code == SQLITE_OK || code == SQLITE_DONE else {
      throw SQLiteError(
        ResultCode(rawValue: code), "Argument \(index + 1) is not the list of an IN")
    }
    return values
  }
}
